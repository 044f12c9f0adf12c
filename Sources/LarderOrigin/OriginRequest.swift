// What the stand-in is asked and what it answers: plain values.
import LarderCore

/// One request as it arrived.
public struct OriginRequest: Sendable, Hashable {
    public var method: Method
    /// The percent-encoded path, whole: the provider's prefix included.
    public var path: String
    public var query: String?
    public var fields: HeaderFields
    public var body: Bytes

    public init(method: Method = .get, path: String, query: String? = nil, fields: HeaderFields = [:], body: Bytes = [])
    {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// The decoded parameters; none where they cannot be decoded.
    var parameters: QueryParameters {
        (try? QueryParameters(parsing: query ?? "")) ?? QueryParameters()
    }
}

/// One answer.
public struct OriginAnswer: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields
    public var body: Bytes

    public init(status: Int = 200, fields: HeaderFields = [:], body: Bytes = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A plain text answer.
    public static func text(_ status: Int, _ text: String) -> OriginAnswer {
        OriginAnswer(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Bytes(text: text))
    }
}

/// The APIs the stand-in speaks for, by their path prefixes.
enum OriginAPI: String, CaseIterable, Sendable {
    case itunes
    case newsapi
    case dnd5e
    case hackernews
    /// Two makes of the jokes.
    case chucknorris
    case icndb
    case tmdb
    case imgur

    /// The provider that asks it.
    var provider: String {
        switch self {
        case .chucknorris, .icndb: "jokes"
        default: rawValue
        }
    }

    /// The API that a provider asks as it comes.
    init?(provider: String) {
        guard let api = Self.allCases.first(where: { $0.provider == provider }) else { return nil }
        self = api
    }

    /// The fields a JSON answer of the live API carries.
    var fields: HeaderFields {
        switch self {
        case .itunes:
            [
                "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "max-age=86400",
                "Content-Disposition": "attachment; filename=1.txt", "Vary": "Accept-Encoding",
                "Access-Control-Allow-Origin": "*",
            ]
        case .newsapi:
            [
                "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache", "Pragma": "no-cache",
                "Expires": "-1", "X-Cached-Result": "false",
            ]
        case .chucknorris: ["Content-Type": "application/json", "X-Frame-Options": "DENY"]
        case .icndb:
            [
                "Content-Type": "application/json", "Cache-Control": "no-cache, must-revalidate",
                "Expires": "Mon, 26 Jul 1997 05:00:00 GMT",
            ]
        case .tmdb:
            [
                "Content-Type": "application/json;charset=utf-8", "Cache-Control": "public, max-age=28800",
                "Vary": "Origin", "Server": "openresty",
            ]
        case .imgur:
            ["Content-Type": "application/json", "Server": "cat factory 1.0", "Access-Control-Allow-Origin": "*"]
        case .dnd5e:
            [
                "Content-Type": "application/json; charset=utf-8", "Content-Language": "en",
                "Access-Control-Allow-Origin": "*",
            ]
        case .hackernews:
            [
                "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache",
                "Access-Control-Allow-Origin": "*",
            ]
        }
    }
}
