// What makes a declared POST a different question: every field by which an API could distinguish callers or forms.
import LarderCore
import LarderHTTP
import LarderSettings
import Testing

@testable import LarderEngine

@Suite struct DeclaredQuestionTests {
    private func identity(_ name: String, _ value: String, isDeclared: Bool = true) -> String {
        let declared = ReadOnlyPost(path: "/graphql", ttl: .seconds(60), kind: .graphql)
        let fields: HeaderFields = [
            "Content-Type": "application/json",
            HeaderField.text(Bytes(text: name)): HeaderField.text(Bytes(text: value)),
        ]
        return QueryContent(Bytes(text: "{}"), fields: fields, declared: isDeclared ? declared : nil).identity
    }

    @Test(arguments: [
        "X-Api-Key", "Authorization", "Cookie", "Accept", "Accept-Language", "X-Hasura-Role", "PRIVATE-TOKEN",
    ])
    func anotherCallerOrFormIsAnotherQuestion(_ name: String) {
        #expect(identity(name, "a") != identity(name, "b"))
    }

    @Test(arguments: [
        "User-Agent", "Cache-Control", "traceparent", "If-None-Match", "Content-Length", "Accept-Encoding",
    ])
    func whatSaysNothingOfTheAnswerMakesNoOther(_ name: String) {
        #expect(identity(name, "a") == identity(name, "b"))
    }

    @Test func noSecretStandsInTheKey() {
        #expect(!identity("X-Api-Key", "a-very-secret-key").contains("secret"))
    }

    @Test func ofAQueryTheOriginSaysWhatSelectsIt() {
        #expect(identity("Accept", "a", isDeclared: false) == identity("Accept", "b", isDeclared: false))
    }
}
