# Varnish with its built-in rules, and one field that tells a hit. The harness replaces the words between @ signs.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "@ORIGIN_PORT@";
}

sub vcl_deliver {
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
}
