// Questions, requests and errors of NewsAPI, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct NewsAPIPinTests {
    private let pins = ProviderPins(SpecProvider(.newsAPI))

    @Test(arguments: [
        (
            "headlines?q=a%20%20bcd",
            #"""
            headlines {"q":"a bcd","limit":20,"sort":"relevance"} /v2/top-headlines?q=a%20bcd 12 /v2/top-hea\#
            dlines?pageSize=100&q=a%20bcd
            """#
        ),
        (
            "headlines?country=US&category=Business",
            #"""
            headlines {"country":"us","category":"business","limit":20,"sort":"relevance"} /v2/top-headlines\#
            ?category=business&country=us 12 /v2/top-headlines?category=business&country=us&pageSize=100
            """#
        ),
        (
            "headlines?sources=cnn,%20BBC-news&pageSize=5&page=3&sort=NAME",
            #"""
            headlines {"sources":"cnn,BBC-news","limit":5,"page":3,"sort":"name"} /v2/top-headlines?page=3&p\#
            ageSize=5&sources=cnn%2CBBC-news 12 /v2/top-headlines?pageSize=100&sources=cnn%2CBBC-news
            """#
        ),
        (
            "headlines?sources=cnn&sources=x",
            #"""
            headlines {"sources":"cnn,x","limit":20,"sort":"relevance"} /v2/top-headlines?sources=cnn%2Cx 1\#
            2 /v2/top-headlines?pageSize=100&sources=cnn%2Cx
            """#
        ),
        (
            "headlines?q=x&limit=100&page=1&sort=date",
            #"""
            headlines {"q":"x","limit":100,"sort":"date"} /v2/top-headlines?pageSize=100&q=x 12 /v2/top-head\#
            lines?pageSize=80&q=x
            """#
        ),
        (
            "everything?q=%2Bcats+-dogs&sort=relevance",
            #"""
            everything {"q":"+cats -dogs","sortBy":"relevancy","limit":100,"sort":"relevance"} /v2/everythin\#
            g?q=%2Bcats%20-dogs&sortBy=relevancy 12 /v2/everything?pageSize=80&q=%2Bcats%20-dogs&sortBy=rele\#
            vancy
            """#
        ),
        (
            "everything?q=x",
            #"""
            everything {"q":"x","sortBy":"publishedAt","limit":100,"sort":"relevance"} /v2/everything?q=x 1\#
            2 /v2/everything?pageSize=80&q=x
            """#
        ),
        (
            "everything?qInTitle=Y%20%20z&sort=name&limit=30&page=2",
            #"""
            everything {"qInTitle":"Y z","sortBy":"publishedAt","limit":30,"page":2,"sort":"name"} /v2/every\#
            thing?page=2&pageSize=30&qInTitle=Y%20z 12 /v2/everything?qInTitle=Y%20z
            """#
        ),
        (
            "everything?q=x&sortBy=publishedAt&searchIn=content,title,description",
            #"""
            everything {"q":"x","sortBy":"publishedAt","limit":100,"sort":"relevance"} /v2/everything?q=x 1\#
            2 /v2/everything?pageSize=80&q=x
            """#
        ),
        (
            "everything?q=x&searchIn=content,title,content",
            #"""
            everything {"q":"x","searchIn":"title,content","sortBy":"publishedAt","limit":100,"sort":"releva\#
            nce"} /v2/everything?q=x&searchIn=title%2Ccontent 12 /v2/everything?pageSize=80&q=x&searchIn=tit\#
            le%2Ccontent
            """#
        ),
        (
            #"""
            everything?domains=BBC.co.uk,a.org.&excludeDomains=B.org&from=2026-11-01&to=2026-11-02T10:00:00&\#
            language=DE&sortBy=POPULARITY
            """#,
            #"""
            everything {"domains":"bbc.co.uk,a.org.","excludeDomains":"b.org","from":"2026-11-01","to":"2026\#
            -11-02T10:00:00","language":"de","sortBy":"popularity","limit":100,"sort":"relevance"} /v2/every\#
            thing?domains=bbc.co.uk%2Ca.org.&excludeDomains=b.org&from=2026-11-01&language=de&sortBy=popular\#
            ity&to=2026-11-02T10%3A00%3A00 12 /v2/everything?domains=bbc.co.uk%2Ca.org.&excludeDomains=b.org\#
            &from=2026-11-01&language=de&pageSize=80&sortBy=popularity&to=2026-11-02T10%3A00%3A00
            """#
        ),
        (
            "everything?sources=a,B&lang=sv&sort=relevance&sortBy=publishedAt",
            #"""
            everything {"sources":"a,B","language":"sv","sortBy":"publishedAt","limit":100,"sort":"relevance\#
            "} /v2/everything?language=sv&sources=a%2CB 12 /v2/everything?language=sv&pageSize=80&sources=a%\#
            2CB
            """#
        ),
        (
            "everything?q=a&limit=7&page=1000&sort=date",
            #"""
            everything {"q":"a","sortBy":"publishedAt","limit":7,"page":1000,"sort":"date"} /v2/everything?p\#
            age=1000&pageSize=7&q=a 13 /v2/everything?page=70&q=a
            """#
        ),
        ("sources", #"sources {"sort":"relevance"} /v2/sources"#),
        (
            "sources?name=TI%20%20mes&language=en&category=Science&country=GB&sort=name",
            #"""
            sources {"name":"ti mes","category":"science","language":"en","country":"gb","sort":"name"} /v2/\#
            sources?category=science&country=gb&language=en
            """#
        ),
        ("sources?lang=de", #"sources {"language":"de","sort":"relevance"} /v2/sources?language=de"#),
    ])
    func aQuestionIsAskedSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(arguments: [
        ("headlines", "missingParameter country Headlines need one of: q, country, category, sources."),
        (
            "headlines?sources=cnn&country=us",
            #"invalidParameter sources conflict "sources" cannot be combined with "country" or "category"."#
        ),
        (
            "headlines?sources=cnn&category=health",
            #"invalidParameter sources conflict "sources" cannot be combined with "country" or "category"."#
        ),
        (
            "headlines?category=cooking",
            #"""
            invalidParameter category "category" is not one of the allowed words. 7 business,entertainment,g\#
            eneral,health,science,sports,technology
            """#
        ),
        ("headlines?q=a&limit=101", #"invalidParameter limit "limit" is not a number between 1 and 100. 1 1…100"#),
        (
            "headlines?q=a&limit=5&pageSize=5",
            #"invalidParameter pageSize conflict "pageSize" is another name of "limit": give one of them."#
        ),
        (
            "headlines?q=a&sort=price",
            #"invalidParameter sort "sort" is not one of the allowed words. 3 relevance,name,date"#
        ),
        ("headlines?q=a&country=usa", #"invalidParameter country "country" is not a two-letter code."#),
        ("headlines?q=a&page=1001", #"invalidParameter page "page" is not a number between 1 and 1000. 1 1…1000"#),
        ("headlines?q=a&q=b", #"repeatedParameter q "q" is given more than once."#),
        ("headlines?q=", #"invalidParameter q "q" is empty."#),
        (
            "headlines?q=a&apiKey=s",
            #"""
            unknownParameter apiKey This route has no parameter "apiKey". 8 q,country,category,sources,limit\#
            ,pageSize,page,sort
            """#
        ),
        ("headlines?sources=a,,b", #"invalidParameter sources "sources" has an empty part."#),
        ("headlines?limit=0", "missingParameter country Headlines need one of: q, country, category, sources."),
        (
            "headlines?q=" + String(repeating: "a", count: 501),
            #"invalidParameter q conflict "q" is longer than 500 characters when percent-encoded."#
        ),
        (
            "headlines?q=" + String(repeating: "%26", count: 167),
            #"invalidParameter q conflict "q" is longer than 500 characters when percent-encoded."#
        ),
        (
            "headlines?sources=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u",
            #"invalidParameter sources "sources" has more than 20 parts."#
        ),
        (
            "everything?language=en",
            "missingParameter q A search for articles needs one of: q, qInTitle, sources, domains."
        ),
        (
            "everything?limit=0",
            "missingParameter q A search for articles needs one of: q, qInTitle, sources, domains."
        ),
        (
            "everything?q=a&language=xx",
            #"""
            invalidParameter language "language" is not one of the allowed words. 14 ar,de,en,es,fr,he,it,nl\#
            ,no,pt,ru,sv,ud,zh
            """#
        ),
        (
            "everything?q=a&lang=en&language=de",
            #"invalidParameter lang conflict "lang" is another name of "language": give one of them."#
        ),
        (
            "everything?q=a&from=yesterday",
            #"invalidParameter from "from" is a date such as 2026-11-20 or 2026-11-20T12:00:00."#
        ),
        (
            "everything?q=a&to=2026-02-30",
            #"invalidParameter to "to" is a date such as 2026-11-20 or 2026-11-20T12:00:00."#
        ),
        (
            "everything?q=a&searchIn=title,author",
            #"invalidParameter searchIn "author" is not a part of an article. 3 title,description,content"#
        ),
        (
            "everything?q=a&searchIn=\(Array(repeating: "title", count: 21).joined(separator: ","))",
            #"invalidParameter searchIn "searchIn" has more than 20 parts."#
        ),
        (
            "everything?domains=not%20a%20host",
            #"invalidParameter domains "not a host" is not a host name such as bbc.co.uk."#
        ),
        (
            "everything?q=a&excludeDomains=a_b%2Fc",
            #"invalidParameter excludeDomains "a_b/c" is not a host name such as bbc.co.uk."#
        ),
        (
            "everything?q=a&sortBy=newest",
            #"""
            invalidParameter sortBy "sortBy" is not one of the allowed words. 3 relevancy,popularity,publish\#
            edAt
            """#
        ),
        (
            "everything?qInTitle=" + String(repeating: "%26", count: 167),
            #"""
            invalidParameter qInTitle conflict "qInTitle" is longer than 500 characters when percent-encoded\#
            .
            """#
        ),
        (
            "everything?country=us&q=a",
            #"""
            unknownParameter country This route has no parameter "country". 15 q,qInTitle,searchIn,sources,d\#
            omains,excludeDomains,from,to,language,lang,sortBy,limit,pageSize,page,sort
            """#
        ),
        ("sources?country=x", #"invalidParameter country "country" is not a two-letter code."#),
        (
            "sources?language=xx",
            #"""
            invalidParameter language "language" is not one of the allowed words. 14 ar,de,en,es,fr,he,it,nl\#
            ,no,pt,ru,sv,ud,zh
            """#
        ),
        (
            "sources?lang=de&language=de",
            #"invalidParameter lang conflict "lang" is another name of "language": give one of them."#
        ),
        ("sources?sort=date", #"invalidParameter sort "sort" is not one of the allowed words. 2 relevance,name"#),
        (
            "sources?q=a",
            #"unknownParameter q This route has no parameter "q". 6 name,category,language,lang,country,sort"#
        ),
        (
            "sources?name=" + String(repeating: "a", count: 201),
            #"invalidParameter name "name" is longer than 200 characters."#
        ),
        ("sources?name=a%07", #"invalidParameter name "name" contains a control character."#),
        ("x", "noSuchRoute - There is no route /v1/news/x. /openapi.json lists all routes."),
        ("headlines/a", "noSuchRoute - There is no route /v1/news/headlines/a. /openapi.json lists all routes."),
    ])
    func anErrorIsToldSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }

    @Test(arguments: [
        (
            SearchRequest(term: " red  dragon "),
            #"""
            everything {"q":"red dragon","sortBy":"relevancy","limit":100,"sort":"relevance"} /v2/everything\#
            ?q=red%20dragon&sortBy=relevancy 12 /v2/everything?pageSize=80&q=red%20dragon&sortBy=relevancy
            """#
        ),
        (
            SearchRequest(term: "a", sort: .date, country: "us", language: "de-DE"),
            #"""
            everything {"q":"a","language":"de","sortBy":"publishedAt","limit":100,"sort":"date"} /v2/everyt\#
            hing?language=de&q=a 12 /v2/everything?language=de&pageSize=80&q=a
            """#
        ),
        (
            SearchRequest(term: "a", limit: 500, sort: .name, language: "xx"),
            #"""
            everything {"q":"a","sortBy":"relevancy","limit":100,"sort":"name"} /v2/everything?q=a&sortBy=re\#
            levancy 12 /v2/everything?pageSize=80&q=a&sortBy=relevancy
            """#
        ),
        (
            SearchRequest(term: "a", sort: .price, country: "usa", language: "EN"),
            #"""
            everything {"q":"a","language":"en","sortBy":"relevancy","limit":100,"sort":"relevance"} /v2/everyth\#
            ing?language=en&q=a&sortBy=relevancy 12 /v2/everything?language=en&pageSize=80&q=a&sortBy=releva\#
            ncy
            """#
        ),
        (
            SearchRequest(term: "a", sort: .relevance),
            #"""
            everything {"q":"a","sortBy":"relevancy","limit":100,"sort":"relevance"} /v2/everything?q=a&sort\#
            By=relevancy 12 /v2/everything?pageSize=80&q=a&sortBy=relevancy
            """#
        ),
        (
            SearchRequest(term: "a", category: "business", limit: 0, sort: .date, country: "DE", explicit: false),
            #"""
            headlines {"q":"a","country":"de","category":"business","limit":1,"sort":"date"} /v2/top-headlin\#
            es?category=business&country=de&pageSize=1&q=a 13 /v2/top-headlines?category=business&country=de\#
            &pageSize=100&q=a
            """#
        ),
        (
            SearchRequest(term: "a", category: "health"),
            #"""
            headlines {"q":"a","category":"health","limit":20,"sort":"relevance"} /v2/top-headlines?category\#
            =health&q=a 12 /v2/top-headlines?category=health&pageSize=100&q=a
            """#
        ),
        (SearchRequest(term: " "), "missingParameter q A search needs a term."),
        (
            SearchRequest(term: "a", category: "films"),
            #"""
            invalidParameter category NewsAPI has no such category. 7 business,entertainment,general,health,\#
            science,sports,technology
            """#
        ),
        (
            SearchRequest(term: "a", category: "Health"),
            #"""
            invalidParameter category NewsAPI has no such category. 7 business,entertainment,general,health,\#
            science,sports,technology
            """#
        ),
        (
            SearchRequest(term: "a", category: "health", country: "usa"),
            #"invalidParameter country "country" is not a two-letter code."#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) {
        #expect(pins.search(request) == told)
    }

    @Test(arguments: [
        (
            "/v2/top-headlines?pageSize=20&page=1&country=US&q=A%20%20b&apiKey=S&category=Health",
            "headlines /v2/top-headlines?category=health&country=us&q=A%20b"
        ),
        ("/v2/top-headlines?pageSize=100&sources=A&APIKEY=x", "headlines /v2/top-headlines?pageSize=100&sources=A"),
        (
            "/v2/everything?pageSize=100&sortBy=publishedAt&q=a&qInTitle=b%20%20c&language=DE&domains=A.org",
            "everything /v2/everything?domains=a.org&language=de&q=a&qInTitle=b%20c"
        ),
        (
            "/v2/everything?pageSize=20&page=1&country=US&sortBy=PublishedAt",
            "everything /v2/everything?country=US&pageSize=20&sortBy=PublishedAt"
        ),
        (
            "/v2/sources?category=Health&language=DE&country=US&page=1",
            "sources /v2/sources?category=health&country=us&language=de&page=1"
        ),
        (
            "/v2/top-headlines/sources?language=DE&q=A%20%20B",
            "sources /v2/top-headlines/sources?language=de&q=A%20%20B"
        ),
        ("/v2/other?pageSize=20&q=A%20%20b&apiKey=S&country=US", "other /v2/other?country=US&pageSize=20&q=A%20%20b"),
        ("/v2/everything?q=%ZZ&apiKey=S&pageSize=100", "everything /v2/everything?q=%ZZ&pageSize=100"),
        ("/v2/everything", "everything /v2/everything"),
        ("/", "other /"),
        ("/v2/everything/a", "other /v2/everything/a"),
        ("/v2", "other /v2"),
        ("/v2/sources?country=us&country=US", "sources /v2/sources?country=us&country=US"),
    ])
    func aRawRequestIsSpeltSo(_ target: String, _ told: String) {
        #expect(pins.request(target) == told)
    }

    @Test func theFactsAreToldSo() {
        #expect(Digest(of: Bytes(text: pins.about)).hex.prefix(16) == "d7ad9f9c4a6978d8", "\(pins.about)")
    }

    @Test func aSearchWithoutACategoryHasArticlesOnly() {
        #expect(pins.provider.kinds(of: nil) == ["article"])
        #expect(pins.provider.kinds(of: "health") == nil)
    }
}
