// What a client finds at each path: its methods, and the name under which its answers are counted, logged and
// explained. The lists are written by hand, so a change of the daemon's own table does not change them too.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RouteScenarios {
    /// No API is called. The APIs behind these paths cannot be reached.
    private static let providers =
        "providers:\n"
        + ["itunes", "newsapi", "dnd5e", "jokes", "tmdb", "imgur"].map {
            "  \($0): { baseURL: \"http://127.0.0.1:9\" }\n"
        }.joined() + "  hackernews: { baseURL: \"http://127.0.0.1:9\", searchURL: \"http://127.0.0.1:9\" }"

    private static let read = "GET, HEAD"

    private static let allowed: [(path: String, allow: String)] = [
        ("/", read), ("/console/console.css", read), ("/now", read), ("/over-time", read), ("/providers", read),
        ("/store", read),
        ("/opensearch.xml", read),
        ("/v1/search", read), ("/v1/local", read), ("/v1/searches/abc", "DELETE, GET, HEAD"),
        ("/v1/searches/abc/events", read), ("/v1/itunes/", read), ("/v1/news/nope", read), ("/v1/dnd/monsters/x", read),
        ("/v1/jokes/1", read), ("/v1/tmdb/search/movie", read), ("/v1/hackernews/top", read),
        ("/v1/imgur/search", read), ("/v1/imgur/oauth", read), ("/v1/imgur/oauth/start", read),
        ("/v1/imgur/oauth/callback", read), ("/v1/imgur/oauth/callback.js", read),
        ("/v1/imgur/oauth/callback.css", read), ("/v1/imgur/oauth/tokens", "GET, HEAD, POST"),
        ("/v1/imgur/account", "DELETE, GET, HEAD"), ("/v1/imgur/images", "GET, HEAD, POST"),
        ("/v1/imgur/images/abc", "DELETE, GET, HEAD"), ("/v1/%69mgur/images/abc", "DELETE, GET, HEAD"),
        ("/v1/imgur/images/", read), ("/v1/imgur/images/a/b", read), ("/v1/itunes/images/abc", read),
        ("/v1/itunes/account", read), ("/v1/artwork/x", read), ("/v1/status", read), ("/v1/events", read),
        ("/v1/explain/0-1", read), ("/v1/cache", "DELETE"), ("/v1/providers/itunes/resume", "POST"),
        ("/v1/uploads/abc", "DELETE, GET, HEAD"), ("/v1/uploads/abc/content", "PUT"),
        ("/v1/uploads/abc/events", read), ("/v1/uploads/abc/pause", "POST"), ("/v1/uploads/abc/resume", "POST"),
        ("/healthz", read), ("/readyz", read), ("/metrics", read), ("/openapi.json", read), ("/raw/itunes/x", read),
    ]

    @Test func eachPathTellsTheMethodsItTakes() async throws {
        try await withLarder(Self.providers) { larder in
            for (path, allow) in Self.allowed {
                let answer = try await larder.send("BREW", path)
                #expect(answer.status == 405, "\(path)")
                #expect(answer["Allow"] == allow, "\(path)")
                #expect(try answer.json()["code"]?.string == "methodNotAllowed", "\(path)")
            }
        }
    }

    @Test func aPathThatLeadsNowhereIsNotFoundByAnyMethod() async throws {
        try await withLarder(Self.providers) { larder in
            for path in [
                "/no", "/v1", "/v1/", "//", "/V1/search", "/v1/searches", "/v1/searches/", "/v1/itunes", "/v1/artwork",
                "/v1/providers/itunes", "/v1/uploads", "/v1/uploads/abc/nope", "/raw",
            ] {
                for method in ["GET", "PUT", "DELETE", "OPTIONS", "BREW"] {
                    let answer = try await larder.send(method, path)
                    #expect(answer.status == 404, "\(method) \(path)")
                    #expect(try answer.json()["code"]?.string == "noSuchRoute", "\(method) \(path)")
                    #expect(answer["Allow"] == nil, "\(method) \(path)")
                }
            }
        }
    }

    @Test func theServerAsAWholeTellsWhatAnyRouteTakes() async throws {
        try await withLarder { larder in
            let answer = try await larder.send("OPTIONS", "*")
            #expect(answer.status == 204)
            #expect(answer["Allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        }
    }

    private static let names: [(method: String, path: String, name: String)] = [
        ("GET", "/", "console"), ("GET", "/console/larder.svg", "console"), ("GET", "/now", "console"),
        ("GET", "/v1/search", "search"),
        ("GET", "/v1/local", "local"), ("GET", "/v1/searches/abc", "searches"),
        ("DELETE", "/v1/searches/abc", "searches"),
        ("GET", "/v1/searches/abc/events", "searches"), ("GET", "/v1/itunes/nope", "itunes"),
        ("GET", "/v1/news/headlines", "news"), ("GET", "/v1/dnd/nope", "dnd"),
        ("GET", "/v1/hackernews/nope", "hackernews"),
        ("GET", "/v1/jokes/random", "jokes"), ("GET", "/v1/tmdb/nope", "tmdb"), ("GET", "/v1/imgur/images", "imgur"),
        ("GET", "/v1/imgur/oauth/start", "account"), ("GET", "/v1/imgur/oauth/callback", "account"),
        ("GET", "/v1/imgur/oauth/callback.js", "account"), ("POST", "/v1/imgur/oauth/tokens", "account"),
        ("GET", "/v1/imgur/account", "account"), ("DELETE", "/v1/imgur/account", "account"),
        ("POST", "/v1/imgur/images", "imgurUpload"), ("DELETE", "/v1/imgur/images/abc", "imgurDelete"),
        ("GET", "/v1/artwork/x", "artwork"), ("GET", "/v1/status", "status"), ("HEAD", "/v1/events", "events"),
        ("GET", "/v1/explain/x", "explain"), ("DELETE", "/v1/cache", "purge"),
        ("POST", "/v1/providers/itunes/resume", "resume"), ("GET", "/v1/uploads/abc", "upload"),
        ("DELETE", "/v1/uploads/abc", "upload"), ("PUT", "/v1/uploads/abc/content", "upload"),
        ("GET", "/v1/uploads/abc/events", "upload"), ("POST", "/v1/uploads/abc/pause", "upload"),
        ("POST", "/v1/uploads/abc/resume", "upload"), ("GET", "/healthz", "healthz"), ("HEAD", "/readyz", "readyz"),
        ("GET", "/metrics", "metrics"), ("GET", "/openapi.json", "openapi"), ("GET", "/raw/nope/x", "raw"),
        ("OPTIONS", "*", "options"), ("GET", "/no", "none"), ("BREW", "/v1/search", "none"),
    ]

    @Test func eachAnswerIsCountedUnderTheNameOfItsRoute() async throws {
        try await withLarder(Self.providers) { larder in
            for (method, path, name) in Self.names {
                let answer = try await larder.send(method, path)
                let told = try await larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")")
                #expect(try told.json()["route"]?.string == name, "\(method) \(path)")
            }
        }
    }

    @Test func whatNeedsAuthorityIsRefusedWithoutIt() async throws {
        try await withLarder(Self.providers) { larder in
            for (method, path) in [
                ("GET", "/v1/imgur/oauth/start"), ("DELETE", "/v1/imgur/account"), ("POST", "/v1/imgur/images"),
                ("DELETE", "/v1/imgur/images/abc"), ("DELETE", "/v1/cache"), ("POST", "/v1/providers/nope/resume"),
                ("GET", "/v1/uploads/abc"), ("DELETE", "/v1/uploads/abc"), ("PUT", "/v1/uploads/abc/content"),
                ("GET", "/v1/uploads/abc/events"), ("POST", "/v1/uploads/abc/pause"),
                ("POST", "/v1/uploads/abc/resume"),
            ] {
                let answer = try await larder.send(method, path)
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(try answer.json()["code"]?.string == "authorityNeeded", "\(method) \(path)")
            }
        }
    }
}
