// Judgements and results of answers of TMDb, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TMDbAnswerPinTests {
    private let pins = ProviderPins(SpecProvider(.tmdb))

    @Test(arguments: [
        (200, "search", #"{"results":[]}"#, "empty"),
        (200, "list", #"{"results":[{}]}"#, "data"),
        (200, "trending", #"{"results":[7]}"#, #"broken("The answer\'s list has no results.")"#),
        (200, "list", #"{"results":{}}"#, #"broken("The answer has no list of results.")"#),
        (200, "list", #"{"a":1}"#, #"broken("The answer has no list of results.")"#),
        (200, "list", "[]", #"broken("The answer has no list of results.")"#),
        (200, "details", #"{"id":5}"#, "data"),
        (200, "details", #"{"id":"5"}"#, #"broken("The record has no id.")"#),
        (200, "details", "{}", #"broken("The record has no id.")"#),
        (200, "configuration", #"{"images":{"base_url":"http://a/"}}"#, "data"),
        (200, "configuration", #"{"images":[]}"#, #"broken("The answer has no sizes of pictures.")"#),
        (200, "configuration", #"{"images":{}}"#, #"broken("The answer has no sizes of pictures.")"#),
        (200, "configuration", #"{"images":{"base_url":null}}"#, #"broken("The answer has no sizes of pictures.")"#),
        (200, "configuration", "{}", #"broken("The answer has no sizes of pictures.")"#),
        (200, "genres", #"{"genres":[{"id":1}]}"#, "data"),
        (200, "genres", #"{"genres":[1]}"#, #"broken("The answer\'s list has no genres.")"#),
        (200, "genres", "{}", #"broken("The answer has no list of genres.")"#),
        (200, "other", "<html>", "data"),
        (200, "other", #"{"success":false,"status_code":7}"#, "data"),
        (200, "search", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
        (200, "search", "", #"broken("The answer is empty instead of JSON.")"#),
        (401, "search", #"{"status_code":7,"status_message":"a  b"}"#, #"refused("a b")"#),
        (401, "search", #"{"success":false,"status_code":10}"#, #"refused("TMDb answered 401.")"#),
        (200, "search", #"{"success":false,"status_code":7,"status_message":"m"}"#, #"refused("m")"#),
        (200, "search", #"{"success":false}"#, #"broken("TMDb answered 200.")"#),
        (200, "search", #"{"status_code":34}"#, #"broken("TMDb answered 200 for a list that exists.")"#),
        (200, "details", #"{"status_code":34}"#, "notFound"),
        (200, "details", #"{"status_code":34,"id":3}"#, "data"),
        (401, "search", "", #"refused("TMDb answered 401.")"#),
        (403, "search", "<html>", #"refused("TMDb answered 403.")"#),
        (401, "other", #"{"success":false,"status_code":7,"status_message":"m"}"#, #"refused("m")"#),
        (401, "other", #"{"success":false,"status_code":3,"status_message":"m"}"#, #"invalidRequest("m")"#),
        (403, "details", #"{"success":false,"status_code":45,"status_message":"m"}"#, #"refused("m")"#),
        (404, "details", #"{"success":false,"status_code":34,"status_message":"m"}"#, "notFound"),
        (404, "other", #"{"success":false,"status_code":34,"status_message":"m"}"#, "notFound"),
        (
            404,
            "search",
            #"{"success":false,"status_code":34,"status_message":"m"}"#,
            #"broken("TMDb answered 404 for a list that exists.")"#
        ),
        (404, "configuration", #"{"status_code":6}"#, #"broken("TMDb answered 404 for a list that exists.")"#),
        (404, "genres", #"{"status_code":6}"#, #"broken("TMDb answered 404 for a list that exists.")"#),
        (404, "details", "", #"broken("TMDb answered 404, but not in the form of this API.")"#),
        (404, "list", "", #"broken("TMDb answered 404, but not in the form of this API.")"#),
        (404, "details", #"{"error":"x"}"#, #"broken("TMDb answered 404, but not in the form of this API.")"#),
        (404, "list", #"{"success":false}"#, #"broken("TMDb answered 404, but not in the form of this API.")"#),
        (404, "details", #"{"success":false}"#, #"broken("TMDb answered 404, but not in the form of this API.")"#),
        (410, "details", #"{"success":false,"status_code":77,"status_message":"m"}"#, "notFound"),
        (
            404,
            "details",
            #"{"success":false,"status_code":77}"#,
            #"broken("TMDb answered 404, but not in the form of this API.")"#
        ),
        (
            404,
            "list",
            #"{"success":false,"status_code":77,"status_message":"m"}"#,
            #"broken("TMDb answered 404 for a list that exists.")"#
        ),
        (400, "list", #"{"success":false,"status_code":22}"#, #"invalidRequest("TMDb answered 400.")"#),
        (422, "search", #"{"errors":["a  b","c"]}"#, #"invalidRequest("a b")"#),
        (422, "search", #"{"errors":[]}"#, #"invalidRequest("TMDb answered 422.")"#),
        (422, "other", #"{"status_code":20,"status_message":"m"}"#, #"invalidRequest("m")"#),
        (429, "search", #"{"status_code":25}"#, "limited(until: nil)"),
        (429, "search", "", "limited(until: nil)"),
        (500, "search", #"{"status_code":11,"status_message":"m"}"#, #"broken("m")"#),
        (500, "search", #"{"status_code":11}"#, #"broken("TMDb answered 500.")"#),
        (503, "search", #"{"errors":["e"]}"#, #"broken("e")"#),
        (504, "search", "", #"broken("TMDb answered 504.")"#),
        (418, "search", #"{"status_code":999,"status_message":"m"}"#, #"invalidRequest("m")"#),
        (418, "search", #"{"status_code":999}"#, #"invalidRequest("TMDb answered 418.")"#),
        (418, "search", #"{"success":false,"id":4}"#, #"invalidRequest("TMDb answered 418.")"#),
        (302, "search", "", #"broken("TMDb answered 302.")"#),
        (200, "details", #"{"success":false,"id":4}"#, #"broken("TMDb answered 200.")"#),
        (401, "search", #"{"status_code":"7","status_message":"m"}"#, #"refused("m")"#),
        (500, "search", #"{"success":false,"status_message":"m"}"#, #"broken("m")"#),
        (403, "search", #"{"status_message":"m"}"#, #"refused("TMDb answered 403.")"#),
    ])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect("\(pins.provider.classify(ProviderPins.response(body, status), endpoint: endpoint))" == told)
    }

    private static let mixed = #"""
        {"page":1,"total_results":900,"results":[{"media_type":"movie","id":1,"title":"A","original_titl\#
        e":"B","original_language":"fr","overview":"x  y","release_date":"2001-02-03","poster_path":null\#
        ,"backdrop_path":"/w.jpg","genre_ids":[28,99999],"vote_average":7.50,"vote_count":3,"popularity"\#
        :1.0,"adult":true},{"media_type":"tv","id":2,"name":"C","original_name":"C","first_air_date":"20\#
        20-01-02","poster_path":"/p.jpg","backdrop_path":"/b.jpg","origin_country":["DE",""],"adult":fal\#
        se},{"media_type":"person","id":3,"name":"D","profile_path":"/q.png","known_for_department":"Act\#
        ing","known_for":[{"media_type":"movie","id":8,"title":"E"},{"media_type":"tv","id":9,"name":"F"\#
        },{"media_type":"game","id":1,"title":"G"},{"id":5},{"title":"H"}]},{"media_type":"collection","\#
        id":4,"name":"G","original_title":"GG","poster_path":"/logo.svg"},{"media_type":"game","id":5,"n\#
        ame":"H"},{"id":6,"title":"I"},{"id":7,"name":"J","first_air_date":"2001-01-01"},{"id":8,"name":\#
        "K","known_for":[]},{"id":9,"name":"L"},{"media_type":"movie","title":"K"},{"media_type":"movie"\#
        ,"id":0,"title":"K"},{"media_type":"movie","id":10,"original_title":"Only"},3]}
        """#
    private static let configuration = #"""
        {"images":{"base_url":"http://a/","secure_base_url":"https://pictures.example/x","poster_sizes":\#
        ["original","w999","w200","../..","w10"],"profile_sizes":["h700","w45"]},"change_keys":["adult"]\#
        }
        """#
    private static let film = #"""
        {"id":1,"title":"A","original_title":"AA","adult":false,"poster_path":"/p.jpg","backdrop_path":"\#
        /w.jpg","overview":"o","release_date":"2001-02-03","genres":[{"id":1,"name":"Drama"},{"id":2}],"\#
        belongs_to_collection":{"name":"The  As","poster_path":"/c.jpg"},"tagline":"","imdb_id":"tt1","c\#
        redits":{"cast":[{"name":"X","profile_path":"/x.jpg"}],"crew":[{"name":"Y","job":"Director"},{"n\#
        ame":"Z","job":"Editor"},{"name":"W","job":"Director"}]},"images":{"backdrops":[{"file_path":"/b\#
        .jpg","width":9}],"others":[{"file_path":"/o.jpg"}]},"production_companies":[{"logo_path":"/l.sv\#
        g"},{"logo_path":"/l.png"}],"created_by":[{"name":"N"}]}
        """#
    private static let series = #"""
        {"id":1,"name":"A","created_by":[{"name":"N"},{"name":"M"}],"seasons":[{"still_path":"/s.jpg","p\#
        oster_path":"/t.jpg"}],"first_air_date":"2000"}
        """#

    @Test(
        arguments: [
            (
                "search?q=x",
                Self.mixed,
                [],
                #"""
                8 id or title=2,kind=3 total=900 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie\#
                ","title":"A","summary":"x y","url":"https://www.themoviedb.org/movie/1","genres":["Action"],"pu\#
                blishedAt":"2001-02-03T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bW\#
                RiLm9yZy90L3AvdzMwMC93LmpwZ_e0Ma5bfwarrXOvn4lTnug","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFn\#
                ZS50bWRiLm9yZy90L3Avdzc4MC93LmpwZ8kNUiVcVpL0O01keCTrpuw","original":"https://image.tmdb.org/t/p/\#
                original/w.jpg"},"attributes":{"originalTitle":"B","originalLanguage":"fr","genreIds":[28,99999]\#
                ,"voteAverage":7.5,"voteCount":3,"popularity":1,"adult":true}},{"id":"tmdb:series:2","provider":\#
                "tmdb","kind":"series","title":"C","url":"https://www.themoviedb.org/tv/2","publishedAt":"2020-0\#
                1-02T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE1\#
                NC9wLmpwZzUwe2fGuWasKv3028cu88s","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3\#
                AvdzUwMC9wLmpwZ_4Xx64HXguUZNRk-l8pPOg","original":"https://image.tmdb.org/t/p/original/p.jpg"},"\#
                attributes":{"originCountry":["DE"],"backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS5\#
                0bWRiLm9yZy90L3AvdzMwMC9iLmpwZxL98YvKD3kiaMNYkWqo5rU","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pb\#
                WFnZS50bWRiLm9yZy90L3Avdzc4MC9iLmpwZzZyaHRm9V2rivTEhjiBPCk","original":"https://image.tmdb.org/t\#
                /p/original/b.jpg"}}},{"id":"tmdb:person:3","provider":"tmdb","kind":"person","title":"D","url":\#
                "https://www.themoviedb.org/person/3","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS\#
                50bWRiLm9yZy90L3AvdzE4NS9xLnBuZybM9aBJ04KvpqxXw4RPgTQ","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9p\#
                bWFnZS50bWRiLm9yZy90L3AvaDYzMi9xLnBuZy6HM4DyUKtYUpu4WYvLuCs","original":"https://image.tmdb.org/\#
                t/p/original/q.png"},"attributes":{"department":"Acting","knownFor":["E","F","G","H"],"knownForI\#
                ds":["tmdb:movie:8","tmdb:series:9"]}},{"id":"tmdb:collection:4","provider":"tmdb","kind":"colle\#
                ction","title":"G","url":"https://www.themoviedb.org/collection/4","attributes":{"originalTitle"\#
                :"GG"}},{"id":"tmdb:movie:6","provider":"tmdb","kind":"movie","title":"I","url":"https://www.the\#
                moviedb.org/movie/6"},{"id":"tmdb:series:7","provider":"tmdb","kind":"series","title":"J","url":\#
                "https://www.themoviedb.org/tv/7","publishedAt":"2001-01-01T00:00:00Z"},{"id":"tmdb:person:8","p\#
                rovider":"tmdb","kind":"person","title":"K","url":"https://www.themoviedb.org/person/8"},{"id":"\#
                tmdb:movie:10","provider":"tmdb","kind":"movie","title":"Only","url":"https://www.themoviedb.org\#
                /movie/10"}]
                """#
            ),
            (
                "search?q=x&language=de&sort=name&limit=3",
                Self.mixed,
                [nil, #"{"genres":[{"id":28,"name":"Kampf"}]}"#, #"{"genres":[{"id":99999,"name":"Neu"}]}"#],
                #"""
                3 id or title=2,kind=3 total=900 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie\#
                ","title":"A","summary":"x y","url":"https://www.themoviedb.org/movie/1","genres":["Kampf","Neu"\#
                ],"publishedAt":"2001-02-03T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZ\#
                S50bWRiLm9yZy90L3AvdzMwMC93LmpwZ_e0Ma5bfwarrXOvn4lTnug","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9\#
                pbWFnZS50bWRiLm9yZy90L3Avdzc4MC93LmpwZ8kNUiVcVpL0O01keCTrpuw","original":"https://image.tmdb.org\#
                /t/p/original/w.jpg"},"attributes":{"originalTitle":"B","originalLanguage":"fr","genreIds":[28,9\#
                9999],"voteAverage":7.5,"voteCount":3,"popularity":1,"adult":true}},{"id":"tmdb:series:2","provi\#
                der":"tmdb","kind":"series","title":"C","url":"https://www.themoviedb.org/tv/2","publishedAt":"2\#
                020-01-02T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3A\#
                vdzE1NC9wLmpwZzUwe2fGuWasKv3028cu88s","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZ\#
                y90L3AvdzUwMC9wLmpwZ_4Xx64HXguUZNRk-l8pPOg","original":"https://image.tmdb.org/t/p/original/p.jp\#
                g"},"attributes":{"originCountry":["DE"],"backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbW\#
                FnZS50bWRiLm9yZy90L3AvdzMwMC9iLmpwZxL98YvKD3kiaMNYkWqo5rU","large":"/v1/artwork/AQR0bWRiaHR0cHM6\#
                Ly9pbWFnZS50bWRiLm9yZy90L3Avdzc4MC9iLmpwZzZyaHRm9V2rivTEhjiBPCk","original":"https://image.tmdb.\#
                org/t/p/original/b.jpg"}}},{"id":"tmdb:person:3","provider":"tmdb","kind":"person","title":"D","\#
                url":"https://www.themoviedb.org/person/3","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pb\#
                WFnZS50bWRiLm9yZy90L3AvdzE4NS9xLnBuZybM9aBJ04KvpqxXw4RPgTQ","large":"/v1/artwork/AQR0bWRiaHR0cHM\#
                6Ly9pbWFnZS50bWRiLm9yZy90L3AvaDYzMi9xLnBuZy6HM4DyUKtYUpu4WYvLuCs","original":"https://image.tmdb\#
                .org/t/p/original/q.png"},"attributes":{"department":"Acting","knownFor":["E","F","G","H"],"know\#
                nForIds":["tmdb:movie:8","tmdb:series:9"]}}]
                """#
            ),
            (
                "search?q=x&language=de&limit=2",
                Self.mixed,
                [nil, nil, "<html>"],
                #"""
                2 id or title=2,kind=3 total=900 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie\#
                ","title":"A","summary":"x y","url":"https://www.themoviedb.org/movie/1","publishedAt":"2001-02-\#
                03T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzMwMC\#
                93LmpwZ_e0Ma5bfwarrXOvn4lTnug","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3Av\#
                dzc4MC93LmpwZ8kNUiVcVpL0O01keCTrpuw","original":"https://image.tmdb.org/t/p/original/w.jpg"},"at\#
                tributes":{"originalTitle":"B","originalLanguage":"fr","genreIds":[28,99999],"voteAverage":7.5,"\#
                voteCount":3,"popularity":1,"adult":true}},{"id":"tmdb:series:2","provider":"tmdb","kind":"serie\#
                s","title":"C","url":"https://www.themoviedb.org/tv/2","publishedAt":"2020-01-02T00:00:00Z","art\#
                work":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE1NC9wLmpwZzUwe2fGuWas\#
                Kv3028cu88s","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzUwMC9wLmpwZ_4Xx6\#
                4HXguUZNRk-l8pPOg","original":"https://image.tmdb.org/t/p/original/p.jpg"},"attributes":{"origin\#
                Country":["DE"],"backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzM\#
                wMC9iLmpwZxL98YvKD3kiaMNYkWqo5rU","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L\#
                3Avdzc4MC9iLmpwZzZyaHRm9V2rivTEhjiBPCk","original":"https://image.tmdb.org/t/p/original/b.jpg"}}\#
                }]
                """#
            ),
            (
                "movie/popular",
                Self.mixed,
                [],
                #"""
                4 id or title=9 total=900 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie","titl\#
                e":"A","summary":"x y","url":"https://www.themoviedb.org/movie/1","genres":["Action"],"published\#
                At":"2001-02-03T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZ\#
                y90L3AvdzMwMC93LmpwZ_e0Ma5bfwarrXOvn4lTnug","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWR\#
                iLm9yZy90L3Avdzc4MC93LmpwZ8kNUiVcVpL0O01keCTrpuw","original":"https://image.tmdb.org/t/p/origina\#
                l/w.jpg"},"attributes":{"originalTitle":"B","originalLanguage":"fr","genreIds":[28,99999],"voteA\#
                verage":7.5,"voteCount":3,"popularity":1,"adult":true}},{"id":"tmdb:movie:4","provider":"tmdb","\#
                kind":"movie","title":"GG","url":"https://www.themoviedb.org/movie/4"},{"id":"tmdb:movie:6","pro\#
                vider":"tmdb","kind":"movie","title":"I","url":"https://www.themoviedb.org/movie/6"},{"id":"tmdb\#
                :movie:10","provider":"tmdb","kind":"movie","title":"Only","url":"https://www.themoviedb.org/mov\#
                ie/10"}]
                """#
            ),
            (
                "tv/popular?sort=date",
                Self.mixed,
                [],
                #"""
                7 id or title=6 total=900 leftOut=0 [{"id":"tmdb:series:2","provider":"tmdb","kind":"series","ti\#
                tle":"C","url":"https://www.themoviedb.org/tv/2","publishedAt":"2020-01-02T00:00:00Z","artwork":\#
                {"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE1NC9wLmpwZzUwe2fGuWasKv3028\#
                cu88s","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzUwMC9wLmpwZ_4Xx64HXguU\#
                ZNRk-l8pPOg","original":"https://image.tmdb.org/t/p/original/p.jpg"},"attributes":{"originCountr\#
                y":["DE"],"backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzMwMC9iL\#
                mpwZxL98YvKD3kiaMNYkWqo5rU","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3Avdzc\#
                4MC9iLmpwZzZyaHRm9V2rivTEhjiBPCk","original":"https://image.tmdb.org/t/p/original/b.jpg"}}},{"id\#
                ":"tmdb:series:7","provider":"tmdb","kind":"series","title":"J","url":"https://www.themoviedb.or\#
                g/tv/7","publishedAt":"2001-01-01T00:00:00Z"},{"id":"tmdb:series:3","provider":"tmdb","kind":"se\#
                ries","title":"D","url":"https://www.themoviedb.org/tv/3"},{"id":"tmdb:series:4","provider":"tmd\#
                b","kind":"series","title":"G","url":"https://www.themoviedb.org/tv/4"},{"id":"tmdb:series:5","p\#
                rovider":"tmdb","kind":"series","title":"H","url":"https://www.themoviedb.org/tv/5"},{"id":"tmdb\#
                :series:8","provider":"tmdb","kind":"series","title":"K","url":"https://www.themoviedb.org/tv/8"\#
                },{"id":"tmdb:series:9","provider":"tmdb","kind":"series","title":"L","url":"https://www.themovi\#
                edb.org/tv/9"}]
                """#
            ),
            (
                "person/popular",
                #"""
                {"results":[{"id":3,"name":"D","profile_path":"/q.png"},{"id":4,"name":"E","profile_path":"bad",\#
                "backdrop_path":"/x.jpg"},{"name":"F"},7]}
                """#,
                [],
                #"""
                2 id or title=2 total=-1 leftOut=0 [{"id":"tmdb:person:3","provider":"tmdb","kind":"person","tit\#
                le":"D","url":"https://www.themoviedb.org/person/3","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0\#
                cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE4NS9xLnBuZybM9aBJ04KvpqxXw4RPgTQ","large":"/v1/artwork/AQR0bW\#
                RiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvaDYzMi9xLnBuZy6HM4DyUKtYUpu4WYvLuCs","original":"https://i\#
                mage.tmdb.org/t/p/original/q.png"}},{"id":"tmdb:person:4","provider":"tmdb","kind":"person","tit\#
                le":"E","url":"https://www.themoviedb.org/person/4","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0\#
                cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzMwMC94LmpwZyGfbLtWwOx8f-AQJbph81o","large":"/v1/artwork/AQR0bW\#
                RiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3Avdzc4MC94LmpwZwG0T31Wm7OEqxqrGHaj2us","original":"https://i\#
                mage.tmdb.org/t/p/original/x.jpg"}}]
                """#
            ),
            (
                "trending/movie/day",
                #"{"results":[{"id":1,"title":"A","poster_path":"/p.jpg","backdrop_path":"/w.jpg"}]}"#,
                [Self.configuration],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie","title":"A","url":"\#
                https://www.themoviedb.org/movie/1","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJl\#
                cy5leGFtcGxlL3gvdzIwMC9wLmpwZ4H8o-8PojBn0wCCIAq05KY","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waW\#
                N0dXJlcy5leGFtcGxlL3gvdzk5OS9wLmpwZ9fgMpvEjdijfGgOqBE7PME","original":"https://pictures.example/\#
                x/original/p.jpg"},"attributes":{"backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJlcy\#
                5leGFtcGxlL3gvdzMwMC93LmpwZ5j72S_l9XAmB1aBwpnLJMI","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0\#
                dXJlcy5leGFtcGxlL3gvdzc4MC93LmpwZxLhKoWBAfSnlFBB5jL4azA","original":"https://pictures.example/x/\#
                original/w.jpg"}}}]
                """#
            ),
            ("trending/all/day", #"{"results":{}}"#, [], "The answer has no list of results."),
            (
                "movie/1?append=credits",
                Self.film,
                [Self.configuration],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:movie:1","provider":"tmdb","kind":"movie","title":"A","creato\#
                r":"Y, W","collection":"The As","summary":"o","url":"https://www.themoviedb.org/movie/1","genres\#
                ":["Drama"],"publishedAt":"2001-02-03T00:00:00Z","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM\#
                6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzIwMC9wLmpwZ4H8o-8PojBn0wCCIAq05KY","large":"/v1/artwork/AQR0bWRia\#
                HR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzk5OS9wLmpwZ9fgMpvEjdijfGgOqBE7PME","original":"https://pict\#
                ures.example/x/original/p.jpg"},"attributes":{"originalTitle":"AA","adult":false,"backdropPath":\#
                "/w.jpg","backdrop":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzMwMC93Lm\#
                pwZ5j72S_l9XAmB1aBwpnLJMI","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzc4\#
                MC93LmpwZxLhKoWBAfSnlFBB5jL4azA","original":"https://pictures.example/x/original/w.jpg"},"belong\#
                sToCollection":{"name":"The  As","posterPath":"/c.jpg","artwork":{"small":"/v1/artwork/AQR0bWRia\#
                HR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzIwMC9jLmpwZzEWqTUwigQ7VWLJX5egTQ0","large":"/v1/artwork/AQR\#
                0bWRiaHR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzk5OS9jLmpwZ_20dEUwjSorKYwKpyE8nqc","original":"https:\#
                //pictures.example/x/original/c.jpg"}},"imdbId":"tt1","credits":{"cast":[{"name":"X","profilePat\#
                h":"/x.jpg","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvaDcwMC94\#
                LmpwZ6xup4eaFvO-MqVJwYWrk5E","large":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waWN0dXJlcy5leGFtcGxlL3gvaD\#
                cwMC94LmpwZ6xup4eaFvO-MqVJwYWrk5E","original":"https://pictures.example/x/original/x.jpg"}}],"cr\#
                ew":[{"name":"Y","job":"Director"},{"name":"Z","job":"Editor"},{"name":"W","job":"Director"}]},"\#
                images":{"backdrops":[{"filePath":"/b.jpg","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9wa\#
                WN0dXJlcy5leGFtcGxlL3gvdzMwMC9iLmpwZxQ3yUzlDsDkqvDOLy8kDrM","large":"/v1/artwork/AQR0bWRiaHR0cHM\#
                6Ly9waWN0dXJlcy5leGFtcGxlL3gvdzc4MC9iLmpwZ_vxVwuIjKHM0fgqRSGm8S0","original":"https://pictures.e\#
                xample/x/original/b.jpg"},"width":9}],"others":[{"filePath":"/o.jpg"}]},"productionCompanies":[{\#
                "logoPath":"/l.svg"},{"logoPath":"/l.png","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9waW\#
                N0dXJlcy5leGFtcGxlL3gvdzE1NC9sLnBuZzcaSC10ZDdF1WutNv4DuaE","large":"/v1/artwork/AQR0bWRiaHR0cHM6\#
                Ly9waWN0dXJlcy5leGFtcGxlL3gvdzUwMC9sLnBuZ65wCcY_4QtCEoqhP5pXBJQ","original":"https://pictures.ex\#
                ample/x/original/l.png"}}],"createdBy":[{"name":"N"}]}}]
                """#
            ),
            (
                "tv/1",
                Self.series,
                [],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:series:1","provider":"tmdb","kind":"series","title":"A","crea\#
                tor":"N, M","url":"https://www.themoviedb.org/tv/1","attributes":{"createdBy":[{"name":"N"},{"na\#
                me":"M"}],"seasons":[{"stillPath":"/s.jpg","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6Ly9pb\#
                WFnZS50bWRiLm9yZy90L3AvdzE4NS9zLmpwZ2SXgxZFqkSukjYdoTbuSTQ","large":"/v1/artwork/AQR0bWRiaHR0cHM\#
                6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzMwMC9zLmpwZ_AWamZlxvYeQKOnpjV83WA","original":"https://image.tmdb\#
                .org/t/p/original/s.jpg"},"posterPath":"/t.jpg","artwork":{"small":"/v1/artwork/AQR0bWRiaHR0cHM6\#
                Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE1NC90LmpwZ4rtK0mDMpKDb8Mx_FNPRvE","large":"/v1/artwork/AQR0bWRiaH\#
                R0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzUwMC90LmpwZx4q_dZC7sRCHRBTrl5znDQ","original":"https://image\#
                .tmdb.org/t/p/original/t.jpg"}}]}}]
                """#
            ),
            (
                "person/1",
                #"""
                {"id":1,"name":"A","biography":"a\nb","overview":"no","profile_path":"/q.jpg","known_for_departm\#
                ent":"Acting"}
                """#,
                [],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:person:1","provider":"tmdb","kind":"person","title":"A","summ\#
                ary":"a\nb","url":"https://www.themoviedb.org/person/1","artwork":{"small":"/v1/artwork/AQR0bWRi\#
                aHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvdzE4NS9xLmpwZ-HrT9jYF13OfcWissyhYxM","large":"/v1/artwork/AQ\#
                R0bWRiaHR0cHM6Ly9pbWFnZS50bWRiLm9yZy90L3AvaDYzMi9xLmpwZ0FQ3DFYxQ7pKwJVq5tRy28","original":"https\#
                ://image.tmdb.org/t/p/original/q.jpg"},"attributes":{"knownForDepartment":"Acting"}}]
                """#
            ),
            ("movie/9", #"{"id":9}"#, [], "The record has no id or no title."),
            ("movie/9", #"{"title":"A"}"#, [], "The record has no id or no title."),
            ("movie/9", "[]", [], "The record has no id or no title."),
            ("movie/9", "<html>", [], "The answer is HTML or XML instead of JSON."),
            (
                "configuration",
                Self.configuration,
                [],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:configuration:images","provider":"tmdb","kind":"configuration\#
                ","title":"Sizes of pictures","attributes":{"baseUrl":"http://a/","secureBaseUrl":"https://pictu\#
                res.example/x","posterSizes":["original","w999","w200","../..","w10"],"profileSizes":["h700","w4\#
                5"]}}]
                """#
            ),
            (
                "genres/movie?language=de",
                #"{"genres":[{"id":28,"name":"Action"},{"id":1},{"name":"x"},7]}"#,
                [],
                #"""
                1 id or name=3 total=-1 leftOut=0 [{"id":"tmdb:movieGenre:28","provider":"tmdb","kind":"genre","\#
                title":"Action","attributes":{"genreId":28,"of":"movie"}}]
                """#
            ),
            (
                "genres/tv",
                #"{"genres":[{"id":28,"name":"Action"}]}"#,
                [],
                #"""
                1  total=-1 leftOut=0 [{"id":"tmdb:tvGenre:28","provider":"tmdb","kind":"genre","title":"Action"\#
                ,"attributes":{"genreId":28,"of":"series"}}]
                """#
            ),
        ] as [(String, String, [String?], String)])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ aids: [String?], _ told: String) {
        #expect(pins.answer(route, to: [body] + aids) == told)
    }

    @Test(arguments: [
        ("search?q=lantern", "/3/search/multi", "query=lantern", "2f616484db03a63d"),
        ("movie/popular", "/3/movie/popular", "", "5f137f9ebb72a23b"),
        ("movie/101?append=credits", "/3/movie/101", "append_to_response=credits", "e6d89c9e4b83426d"),
        ("person/popular", "/3/person/popular", "", "196dd6b9005ba22c"),
        ("tv/popular", "/3/tv/popular", "", "1cda015173877e6e"),
    ])
    func aSampleIsToldSo(_ route: String, _ path: String, _ query: String, _ digest: String) throws {
        let request = SampleRequest(path: path, parameters: try QueryParameters(parsing: query))
        let told = pins.answer(route, to: [pins.provider.samples()[0].answer(request).body.lossyText])
        #expect(Digest(of: Bytes(text: told)).hex.prefix(16) == digest, "\(told)")
    }
}
