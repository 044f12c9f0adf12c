// What a person sees at a terminal, and opens from there.
import Foundation
import LarderCore
import Testing

@testable import LarderCLI

struct TerminalTests {
    private static let answer = """
        {"state":"results","sources":[{"provider":"itunes","state":"results","count":2,"stale":false,"error":null}],
        "count":2,"results":[{"title":"One","url":"https://example.org/1"},{"title":"Two","url":"javascript:x"}]}
        """

    private func daemon(_ body: String = answer) throws -> ScriptedDaemon {
        try ScriptedDaemon { _ in
            Bytes(
                text: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n\(body)")
        }
    }

    @Test func openLeadsToAResultOfTheLastSearch() async throws {
        try await withScratchDirectory { directory in
            let variables = ["XDG_RUNTIME_DIR": directory]
            let nothing = await larder("open", environment: variables)
            #expect(nothing.status == .noResults && nothing.err.contains("Search first"))
            let served = try daemon()
            _ = await larder("local", "one", "--url", served.url, environment: variables, isTerminal: true)
            let first = await larder("open", "--print", "1", environment: variables)
            #expect(first.text == "https://example.org/1\n", "\(first.err)")
            #expect(await larder("open", "--print", "2", environment: variables).err.contains("has no page"))
            #expect(await larder("open", "3", environment: variables).status == .noResults)
            #expect(await larder("open", "x", environment: variables).status == .usage)
        }
    }

    @Test func openStartsTheBrowser() async throws {
        try await withScratchDirectory { directory in
            // It makes a folder of the URL's name.
            let variables = ["XDG_RUNTIME_DIR": directory, "BROWSER": "mkdir -p \(directory)/%s:other"]
            let served = try daemon()
            _ = await larder("local", "one", "--url", served.url, environment: variables, isTerminal: true)
            let opened = await larder("open", environment: variables)
            #expect(opened.status == .done, "\(opened.err)")
            #expect(FileManager.default.fileExists(atPath: "\(directory)/https:/example.org/1"))
        }
    }

    @Test func theLinkIsNoWordOfTheBrowsersCommand() async throws {
        try await withScratchDirectory { directory in
            // It makes a folder of the address's name.
            let variables = ["XDG_RUNTIME_DIR": directory, "BROWSER": "mkdir -p \(directory)/%s"]
            let served = try daemon(#"{"url":"http://127.0.0.1:9/#owner=c0de"}"#)
            let opened = await larder("console", "--url", served.url, environment: variables)
            #expect(opened.status == .done, "\(opened.err)")
            let file = "\(directory)/larder-console.html"
            #expect(FileManager.default.fileExists(atPath: "\(directory)/file:\(file)"))
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("http://127.0.0.1:9/#owner=c0de"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func aPipeIsNotRemembered() async throws {
        try await withScratchDirectory { directory in
            let served = try daemon()
            _ = await larder("local", "one", "--url", served.url, environment: ["XDG_RUNTIME_DIR": directory])
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func jsonIsIndentedOnATerminalAndUntouchedInAPipe() async throws {
        let body = #"{"a":1.50,"b":[1,2],"c":{"d":"\u001b é","e":[{}]},"f":[]}"#
        let served = try daemon(body)
        let shown = await larder("get", "/x", "--url", served.url, isTerminal: true)
        #expect(
            shown.text == """
                {
                  "a": 1.50,
                  "b": [1, 2],
                  "c": {
                    "d": "\\u001b é",
                    "e": [
                      {}
                    ]
                  },
                  "f": []
                }

                """)
        #expect(await larder("get", "/x", "--url", served.url).text == body)
    }

    @Test func helpGroupsTheCommands() async {
        let text = await larder("help").text
        #expect(text.contains("\n\nAsk\n  search "))
        #expect(text.contains("\n\nTapes\n  tape show "))
    }

    @Test func nothingChangedIsSaid() async {
        #expect(await larder("params", "--changed", isTerminal: true).text == "Nothing differs from the defaults.\n")
    }

    @Test func aNarrowLogKeepsThePath() throws {
        let line = LogLineText(
            try JSON.parse(
                Bytes(
                    text: #"{"at":"2026-11-30T10:00:00.123Z","status":200,"outcome":"hit","milliseconds":0.2,"#
                        + #""client":"127.0.0.1","method":"GET","target":"/v1/search?q=dragon","provider":"itunes"}"#)))
        #expect(line.line(width: 40).hasSuffix("/v1/search?q=dragon"))
        #expect(line.line(width: 40).hasPrefix("200"))
        #expect(line.line(width: 120).contains("127.0.0.1"))
    }
}
