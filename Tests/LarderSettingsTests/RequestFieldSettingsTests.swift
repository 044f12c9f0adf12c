// Fields that are sent with every request to a provider.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct RequestFieldSettingsTests {
    @Test(arguments: ["itunes: { ", "mine: { kind: passthrough, baseURL: \"https://a\", "])
    func aMappingOfNamesAndValuesIsTaken(_ start: String) throws {
        let fields =
            "{ Accept: application/vnd.github+json, X-Api-Version: 2, User-Agent: \"me/1 ( me@example.org )\" }"
        let name = String(start.prefix { $0 != ":" })
        let wanted: HeaderFields = [
            "Accept": "application/vnd.github+json", "X-Api-Version": "2", "User-Agent": "me/1 ( me@example.org )",
        ]
        let written = try load("providers: { \(start)requestFields: \(fields) } }\n")
        #expect(written.providers[name]?.requestFields == wanted)
        let flag = try load("providers: { \(start)} }\n", flags: [("providers.\(name).requestFields", fields)])
        #expect(flag.providers[name]?.requestFields == wanted)
    }

    @Test(
        arguments: [
            ("Accept", "must be a mapping such as"), ("{ \"a b\": c }", "\"a b\" is not the name of a field"),
            ("{ X: a, x: b }", "\"x\" is set twice"), ("{ X: [a] }", "X: must be a single value"),
            ("{ X: \"a\\nb\" }", "X: contains a line break"), ("{ X: é }", "not ASCII"),
            ("{ X: file:/etc/key }", "a secret is set by key"), ("{ X: env:KEY }", "a secret is set by key"),
            ("{ X-Api-Key: abc }", "X-Api-Key looks like a credential"), ("{ X-Mine: a }", "X-Mine carries the key"),
        ]
            + [
                "Host", "Content-Length", "Transfer-Encoding", "Connection", "TE", "Upgrade", "Authorization", "Cookie",
                "If-None-Match", "If-Range", "Range", "Request-Range", "A-IM", "Proxy-Authorization", "Content-Type",
                "Accept-Encoding", "Cache-Control", "traceparent",
            ].map { ("{ \($0): a }", "\($0) has its own rules") })
    func aMistakeIsToldAtItsPlace(_ fields: String, _ message: String) {
        let found = findings(
            """
            providers:
              mine: { kind: passthrough, baseURL: "https://a", key: abc, keyIn: header X-Mine,
                requestFields: \(fields) }

            """)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.contains(":3:") == true, "\(found)")
    }
}
