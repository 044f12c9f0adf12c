import LarderCore
import Testing

@testable import LarderCLI

@Suite struct RunEnvironmentTests {
    private let files = RunFiles(
        bundle: "/r/bundle.pem", authority: "/r/ca.pem", javaStore: "/r/trust.p12", javaPassword: "changeit")

    private func make(_ parent: [String: String], hosts: [String] = []) -> [String: String] {
        RunEnvironment.make(from: parent, port: 4711, hosts: hosts, files: files)
    }

    @Test func everySpellingOfTheProxyIsSet() {
        let environment = make(["https_proxy": "http://parent:3128"])
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            #expect(environment[name] == "http://127.0.0.1:4711", "\(name)")
        }
    }

    @Test func whatTheParentExcludedStaysExcludedAndThisMachineToo() {
        #expect(
            make(["no_proxy": "internal.example, 10.0.0.1"])["no_proxy"]
                == "internal.example,10.0.0.1,localhost,127.0.0.1,::1")
    }

    @Test func aHostThatTheRunIsForIsNotExcluded() {
        let environment = make(["NO_PROXY": "api.example"], hosts: ["api.example", "localhost", "[::1]"])
        #expect(environment["NO_PROXY"] == "127.0.0.1")
    }

    @Test(arguments: [".example.org", "example.org", "*", "*.example.org", "API.example.org"])
    func anEntryThatHoldsANamedHostIsTakenOut(_ entry: String) {
        let environment = make(["no_proxy": "\(entry),kept.example"], hosts: ["api.example.org"])
        #expect(environment["no_proxy"]?.hasPrefix("kept.example") == true)
    }

    @Test func otherVariablesOfTheParentStay() {
        #expect(make(["LANG": "C", "JAVA_TOOL_OPTIONS": "-Xmx1g"])["LANG"] == "C")
        #expect(make(["JAVA_TOOL_OPTIONS": "-Xmx1g"])["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Xmx1g -Dhttp") == true)
    }

    @Test func programsThatReplaceTheirRootsGetThemAll() {
        let environment = make([:])
        #expect(environment["REQUESTS_CA_BUNDLE"] == "/r/bundle.pem")
        #expect(environment["NODE_EXTRA_CA_CERTS"] == "/r/ca.pem")
    }
}
