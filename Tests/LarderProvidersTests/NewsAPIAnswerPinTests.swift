// Judgements and results of answers of NewsAPI, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct NewsAPIAnswerPinTests {
    private let pins = ProviderPins(SpecProvider(.newsAPI))

    @Test(arguments: [
        (200, "headlines", #"{"status":"ok","totalResults":1,"articles":[{}]}"#, "data"),
        (200, "everything", #"{"status":"ok","articles":[]}"#, "empty"),
        (
            200,
            "everything",
            #"{"status":"ok","articles":[1]}"#,
            #"broken("The answer\'s list has no articles.")"#
        ),
        (200, "sources", #"{"status":"ok","sources":[{}]}"#, "data"),
        (
            200,
            "sources",
            #"{"status":"ok","articles":[{}]}"#,
            #"broken("The answer has no list of sources.")"#
        ),
        (
            200,
            "headlines",
            #"{"status":"ok"}"#,
            #"broken("The answer has no list of articles.")"#
        ),
        (
            200,
            "headlines",
            #"{"articles":[{}]}"#,
            #"broken("The answer does not have the form of NewsAPI\'s answers.")"#
        ),
        (
            200,
            "headlines",
            #"{"status":"ok","articles":{}}"#,
            #"broken("The answer has no list of articles.")"#
        ),
        (200, "headlines", "[]", #"broken("The answer does not have the form of NewsAPI\'s answers.")"#),
        (200, "headlines", "null", #"broken("The answer does not have the form of NewsAPI\'s answers.")"#),
        (200, "headlines", "<html>", #"broken("The answer is HTML or XML instead of JSON.")"#),
        (200, "headlines", "", #"broken("The answer is empty instead of JSON.")"#),
        (200, "other", "<html>", "data"),
        (200, "other", #"{"status":"error","code":"rateLimited","message":"m  n"}"#, "data"),
        (200, "headlines", #"{"status":"error","code":"rateLimited","message":"m  n"}"#, "limited(until: nil)"),
        (429, "headlines", #"{"status":"error","code":"apiKeyExhausted","message":"m  n"}"#, "limited(until: nil)"),
        (429, "headlines", "slow down", "limited(until: nil)"),
        (401, "headlines", #"{"status":"error","code":"apiKeyMissing","message":"m  n"}"#, #"refused("m n")"#),
        (401, "headlines", #"{"status":"error","code":"apiKeyInvalid"}"#, #"refused("apiKeyInvalid")"#),
        (401, "sources", "", #"refused("The answer is empty instead of JSON.")"#),
        (
            426,
            "everything",
            #"{"status":"error","code":"maximumResultsReached","message":"m  n"}"#,
            #"invalidRequest("m n")"#
        ),
        (426, "everything", #"{"status":"error","code":"corsNotAllowed","message":"m  n"}"#, #"refused("m n")"#),
        (
            400,
            "everything",
            #"{"status":"error","code":"sourcesTooMany","message":"m  n"}"#,
            #"invalidRequest("m n")"#
        ),
        (400, "everything", #"{"code":"parameterInvalid","message":"a"}"#, #"invalidRequest("a")"#),
        (500, "everything", #"{"status":"error","code":"unexpectedError","message":"m  n"}"#, #"broken("m n")"#),
        (200, "everything", #"{"status":"error","code":"unexpectedError","message":"m  n"}"#, #"broken("m n")"#),
        (418, "everything", #"{"status":"error","code":"somethingNew","message":"m  n"}"#, #"invalidRequest("m n")"#),
        (200, "everything", #"{"status":"error","code":"somethingNew","message":"m  n"}"#, #"broken("m n")"#),
        (402, "everything", #"{"status":"error","code":"somethingNew","message":"m  n"}"#, #"broken("m n")"#),
        (430, "everything", "{}", #"broken("NewsAPI answered 430.")"#),
        (499, "everything", "[]", #"broken("NewsAPI answered 499.")"#),
        (428, "everything", "{}", #"broken("NewsAPI answered 428.")"#),
        (422, "everything", #"{"a":1}"#, #"invalidRequest("NewsAPI answered 422.")"#),
        (403, "everything", "<html>challenge</html>", #"refused("The answer is HTML or XML instead of JSON.")"#),
        (502, "everything", "bad gateway", #"broken("The answer is not valid JSON: an unexpected byte at byte 0.")"#),
        (500, "everything", "{}", #"broken("NewsAPI answered 500.")"#),
        (
            404,
            "everything",
            #"{"status":"error","code":"somethingNew","message":"m  n"}"#,
            #"broken("NewsAPI answered 404 for a list that exists.")"#
        ),
        (404, "everything", "Not Found", #"broken("NewsAPI answered 404, but not in the form of this API.")"#),
        (404, "everything", "{}", #"broken("NewsAPI answered 404, but not in the form of this API.")"#),
        (
            404,
            "everything",
            #"{"status":"error","message":"m"}"#,
            #"broken("NewsAPI answered 404, but not in the form of this API.")"#
        ),
        (404, "other", #"{"status":"error","code":"somethingNew","message":"m  n"}"#, "notFound"),
        (410, "other", #"{"status":"error","code":"somethingNew","message":"m  n"}"#, "notFound"),
        (404, "other", #"{"code":"x"}"#, #"broken("NewsAPI answered 404, but not in the form of this API.")"#),
        (404, "other", "Not Found", #"broken("NewsAPI answered 404, but not in the form of this API.")"#),
        (
            404,
            "sources",
            #"{"status":"error","code":"sourceDoesNotExist","message":"m  n"}"#,
            #"invalidRequest("m n")"#
        ),
        (400, "sources", #"{"status":"error","message":"m  n"}"#, #"invalidRequest("m n")"#),
        (200, "sources", #"{"status":"ok","code":null,"sources":[]}"#, "empty"),
        (200, "sources", #"{"status":"error","sources":[]}"#, #"broken("no message")"#),
        (403, "other", #"{"code":"userAgentMissing","message":7}"#, #"refused("userAgentMissing")"#),
    ])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ told: String) {
        #expect("\(pins.provider.classify(ProviderPins.response(body, status), endpoint: endpoint))" == told)
    }

    @Test(arguments: [
        (
            "everything?q=x",
            #"""
            {"status":"ok","totalResults":900,"articles":[{"source":{"id":"a-b","name":"A &amp; B"},"author"\#
            :"Ada  X","title":"A <b>cache</b>","description":"One.\r\nTwo &lt;3","url":"https://a.org/1?x=1"\#
            ,"urlToImage":"https://a.org/i.jpg","publishedAt":"2026-11-20T08:15:00Z","content":"More\r\nof i\#
            t… [+1834 chars]"}]}
            """#,
            #"""
            1  total=900 leftOut=0 [{"id":"newsapi:article:1fc71e0164d1f6586da765a0","provider":"newsapi","k\#
            ind":"article","title":"A cache","creator":"Ada X","collection":"A & B","summary":"One.\nTwo <3"\#
            ,"url":"https://a.org/1?x=1","publishedAt":"2026-11-20T08:15:00Z","artwork":{"small":"/v1/artwor\#
            k/AQduZXdzYXBpaHR0cHM6Ly9hLm9yZy9pLmpwZ4B-7LC3EooYDijM5xW9CQ0","large":"/v1/artwork/AQduZXdzYXBp\#
            aHR0cHM6Ly9hLm9yZy9pLmpwZ4B-7LC3EooYDijM5xW9CQ0","original":"https://a.org/i.jpg"},"attributes":\#
            {"sourceId":"a-b","content":"More\nof it…","omittedCharacters":1834}}]
            """#
        ),
        (
            "headlines?q=x",
            #"""
            {"status":"ok","totalResults":900,"articles":[{"source":{"id":null,"name":""},"author":"","title\#
            ":"T","description":null,"url":"https://a.org/2","urlToImage":null,"publishedAt":"","content":nu\#
            ll},{"title":"T2","author":"https://a.org/authors/x","url":"https://a.org/3","urlToImage":"//b.o\#
            rg/i.png","publishedAt":"2026-11-20T08:15:00.5+01:00","content":"plain"},{"title":"T3","author":\#
            "http://x y","url":"javascript:1","urlToImage":"/i.png","content":"a [+x chars]"},{"title":"T4",\#
            "url":"https://a.org/4/x","urlToImage":" /j.png ","content":"[+12 chars]"},{"title":"T5","url":"\#
            https://u@a.org/5","urlToImage":"i.png","content":"a [+-5 chars]"}]}
            """#,
            #"""
            5  total=900 leftOut=0 [{"id":"newsapi:article:caabd846ccd0d18e169f1dee","provider":"newsapi","k\#
            ind":"article","title":"T","url":"https://a.org/2"},{"id":"newsapi:article:d54e677bb21f9e60603de\#
            cc6","provider":"newsapi","kind":"article","title":"T2","url":"https://a.org/3","publishedAt":"2\#
            026-11-20T07:15:00Z","artwork":{"small":"/v1/artwork/AQduZXdzYXBpaHR0cHM6Ly9iLm9yZy9pLnBuZ7GIxui\#
            dtvP3HYO15Q538U8","large":"/v1/artwork/AQduZXdzYXBpaHR0cHM6Ly9iLm9yZy9pLnBuZ7GIxuidtvP3HYO15Q538\#
            U8","original":"https://b.org/i.png"},"attributes":{"authorUrl":"https://a.org/authors/x","conte\#
            nt":"plain"}},{"id":"newsapi:article:f9495303fec03937417a91bc","provider":"newsapi","kind":"arti\#
            cle","title":"T3","attributes":{"authorUrl":"http://x y","content":"a [+x chars]"}},{"id":"newsa\#
            pi:article:839bad2f1eccdd596b90663b","provider":"newsapi","kind":"article","title":"T4","url":"h\#
            ttps://a.org/4/x","artwork":{"small":"/v1/artwork/AQduZXdzYXBpaHR0cHM6Ly9hLm9yZy9qLnBuZ4pMLUzO_G\#
            3aDo15KYd-Y8w","large":"/v1/artwork/AQduZXdzYXBpaHR0cHM6Ly9hLm9yZy9qLnBuZ4pMLUzO_G3aDo15KYd-Y8w"\#
            ,"original":"https://a.org/j.png"},"attributes":{"omittedCharacters":12}},{"id":"newsapi:article\#
            :61fa04239a5c4ad4d8c242c6","provider":"newsapi","kind":"article","title":"T5","url":"https://u@a\#
            .org/5","attributes":{"content":"a [+-5 chars]"}}]
            """#
        ),
        (
            "everything?q=x",
            #"""
            {"status":"ok","totalResults":900,"articles":[{"title":"[Removed]","description":"[Removed]","ur\#
            l":"https://b.org"},{"title":"[Removed]","url":"https://c.org"},{"title":"[Removed]","descriptio\#
            n":"","url":"https://c.org"},{"title":"[Removed]","description":"kept","url":"https://c.org/1"},\#
            {"title":"x","url":"https://removed.com"},{"title":"x","url":"https://removed.com/"},7,{"title":\#
            null,"description":null,"content":"","url":null},{"title":"a","url":"https://c.org/1"},{"title":\#
            "N","publishedAt":"2026-11-20"},{"title":"N","publishedAt":"2026-11-20"},{"title":"N"}]}
            """#,
            #"""
            4 not an object=1,removed=5,repeated=1,title=1 total=900 leftOut=0 [{"id":"newsapi:article:5f476\#
            da4f3a976ce808f9b5f","provider":"newsapi","kind":"article","title":"[Removed]","summary":"kept",\#
            "url":"https://c.org/1"},{"id":"newsapi:article:515736201fb8b1fa9003d1f7","provider":"newsapi","\#
            kind":"article","title":"N","publishedAt":"2026-11-20T00:00:00Z"},{"id":"newsapi:article:5157362\#
            01fb8b1fa9003d1f7","provider":"newsapi","kind":"article","title":"N","publishedAt":"2026-11-20T0\#
            0:00:00Z"},{"id":"newsapi:article:e9f86cefcfd61558fe75da7d","provider":"newsapi","kind":"article\#
            ","title":"N"}]
            """#
        ),
        (
            "everything?q=x&sort=name&language=de",
            #"""
            {"status":"ok","totalResults":900,"articles":[{"title":"","description":"What happened then an\#
            d there, What happened then and there, What happened then and there, What happened then and ther\#
            e,  <i>word</i>","url":"https://a.org/1"},{"content":"Some text [+99 chars]","url":"https://a.or\#
            g/2"},{"url":"https://a.org/3"},{"title":"Äb","url":"https://a.org/5"}]}
            """#,
            #"""
            4  total=900 leftOut=0 [{"id":"newsapi:article:be162a9765cc22f1a48cb9af","provider":"newsapi","k\#
            ind":"article","title":"Äb","url":"https://a.org/5"},{"id":"newsapi:article:d54e677bb21f9e60603d\#
            ecc6","provider":"newsapi","kind":"article","title":"https://a.org/3","url":"https://a.org/3"},{\#
            "id":"newsapi:article:caabd846ccd0d18e169f1dee","provider":"newsapi","kind":"article","title":"S\#
            ome text","url":"https://a.org/2","attributes":{"content":"Some text","omittedCharacters":99}},{\#
            "id":"newsapi:article:d807e1dbcfe1ed0e0996e4c6","provider":"newsapi","kind":"article","title":"W\#
            hat happened then and there, What happened then and there, What happened then …","summary":"Wha\#
            t happened then and there, What happened then and there, What happened then and there, What happ\#
            ened then and there, word","url":"https://a.org/1"}]
            """#
        ),
        ("everything?q=x", "{}", "The answer has no list of articles."),
        ("everything?q=x", #"{"articles":{}}"#, "The answer has no list of articles."),
        ("everything?q=x", "<html>", "The answer is HTML or XML instead of JSON."),
        ("sources", "{}", "The answer has no list of sources."),
        ("sources", "", "The answer is empty instead of JSON."),
        (
            "sources?sort=name",
            #"""
            {"status":"ok","sources":[{"id":"b","name":"B &amp; C","description":"One.\nTwo","url":"https://\#
            a.org","category":"general","language":"en","country":"us"},{"id":"","name":"x"},{"name":"y"},{"\#
            id":"a","name":"","description":"","url":"ftp://a","category":"","language":"","country":null}]}
            """#,
            #"""
            2 id=2 total=4 leftOut=0 [{"id":"newsapi:newsSource:a","provider":"newsapi","kind":"newsSource",\#
            "title":"a","attributes":{"sourceId":"a"}},{"id":"newsapi:newsSource:b","provider":"newsapi","ki\#
            nd":"newsSource","title":"B & C","summary":"One.\nTwo","url":"https://a.org","genres":["general"\#
            ],"attributes":{"sourceId":"b","language":"en","country":"us"}}]
            """#
        ),
        (
            "sources?name=TIMES",
            #"{"sources":[{"id":"b","name":"The  Times"},{"id":"times-x"},{"id":"c","name":"x"}]}"#,
            #"""
            2  total=3 leftOut=1 [{"id":"newsapi:newsSource:b","provider":"newsapi","kind":"newsSource","tit\#
            le":"The Times","attributes":{"sourceId":"b"}},{"id":"newsapi:newsSource:times-x","provider":"ne\#
            wsapi","kind":"newsSource","title":"times-x","attributes":{"sourceId":"times-x"}}]
            """#
        ),
    ])
    func anAnswerIsToldSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.answer(route, body) == told)
    }

    @Test(arguments: [
        (
            "everything?q=x&limit=2&page=3&sort=name",
            #"""
            {"status":"ok","totalResults":900,"articles":[{"title":"t9","url":"https://a.org/0"},{"title":"t\#
            8","url":"https://a.org/1"},{"title":"t7","url":"https://a.org/2"},{"title":"t6","url":"https://\#
            a.org/3"},{"title":"t5","url":"https://a.org/4"},{"title":"t4","url":"https://a.org/5"},{"title"\#
            :"t3","url":"https://a.org/6"}]}
            """#,
            #"""
            /v2/everything?pageSize=5&q=x -; /v2/everything?pageSize=10&q=x t4,t5; /v2/everything?pageSize=1\#
            2&q=x t4,t5; /v2/everything?pageSize=15&q=x t4,t5; /v2/everything?pageSize=20&q=x t4,t5; /v2/eve\#
            rything?pageSize=25&q=x t4,t5; /v2/everything?pageSize=30&q=x t4,t5; /v2/everything?pageSize=40&\#
            q=x t4,t5; /v2/everything?pageSize=50&q=x t4,t5; /v2/everything?pageSize=60&q=x t4,t5; /v2/every\#
            thing?pageSize=75&q=x t4,t5; /v2/everything?pageSize=80&q=x t4,t5; /v2/everything?q=x t4,t5
            """#
        ),
        (
            "headlines?q=x&limit=100",
            #"{"status":"ok","totalResults":900,"articles":[]}"#,
            #"""
            /v2/top-headlines?pageSize=5&q=x none; /v2/top-headlines?pageSize=10&q=x none; /v2/top-headlines\#
            ?pageSize=12&q=x none; /v2/top-headlines?pageSize=15&q=x none; /v2/top-headlines?q=x none; /v2/t\#
            op-headlines?pageSize=25&q=x none; /v2/top-headlines?pageSize=30&q=x none; /v2/top-headlines?pag\#
            eSize=40&q=x none; /v2/top-headlines?pageSize=50&q=x none; /v2/top-headlines?pageSize=60&q=x non\#
            e; /v2/top-headlines?pageSize=75&q=x none; /v2/top-headlines?pageSize=80&q=x none
            """#
        ),
        ("everything?q=x&limit=5&page=2", "{}", "normalising newsapi: The answer has no list of articles."),
    ])
    func aStoredAnswerOfAnotherLengthIsReadSo(_ route: String, _ body: String, _ told: String) {
        #expect(pins.wider(route, body) == told)
    }
}
