// How the client reads HTTP, for every way in which the bytes can arrive.
import LarderCore
import LarderIO
import Testing

@testable import LarderCLI

struct DaemonResponseReaderTests {
    /// Feeds pieces of the given size, then the end of input if the answer is not complete.
    private func read(_ text: String, isHead: Bool = false, by size: Int) throws -> DaemonResponse {
        var reader = DaemonResponseReader(isHead: isHead)
        var rest = Bytes(text: text)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            if let response = try reader.feed(piece) {
                #expect(rest.isEmpty)
                return response
            }
        }
        return try reader.end()
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func everyFramingIsReadHoweverTheBytesCome(_ size: Int) throws {
        let length = try read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nAge:  3 \r\n\r\nhello", by: size)
        #expect(length.status == 200 && length.body.lossyText == "hello" && length.keepsAlive)
        #expect(length.fields.first("age") == "3")
        let chunked = try read(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nT: 1\r\n\r\n",
            by: size)
        #expect(chunked.body.lossyText == "hello0123456789abcdef")
        let toEnd = try read("HTTP/1.0 200 OK\r\n\r\nall of it", by: size)
        #expect(toEnd.body.lossyText == "all of it" && !toEnd.keepsAlive)
        let none = try read("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nConnection: close\r\n\r\n", by: size)
        #expect(none.body.isEmpty && !none.keepsAlive)
        let head = try read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", isHead: true, by: size)
        #expect(head.body.isEmpty)
        let hinted = try read("HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", by: size)
        #expect(hinted.status == 200 && hinted.body.lossyText == "x")
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 99 X\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1fffffffff\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
    ])
    func whatIsCutOffOrMalformedIsNeverAnAnswer(_ text: String) {
        #expect(throws: MalformedAnswer.self) { try read(text, by: 4) }
    }

    @Test func whatWasReadOfALongStreamIsNotKept() throws {
        var reader = DaemonResponseReader(isHead: false)
        _ = try reader.feed(Bytes(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
        for _ in 0..<1000 {
            let end = try reader.feed(Bytes(text: "3\r\n:\n\n\r\n"))
            let piece = reader.takeBody()
            #expect(end == nil && piece.count == 3)
        }
        #expect(reader.buffer.count < 100)
    }

    @Test func aHeadWithoutEndIsBounded() {
        var reader = DaemonResponseReader(isHead: false)
        #expect(throws: MalformedAnswer.self) {
            while true { _ = try reader.feed(Bytes(repeating: 0x61, count: 65536)) }
        }
    }
}

struct DaemonAddressTests {
    @Test func aGivenURLIsTheOnlyPlace() throws {
        let found = try DaemonAddress.candidates(
            url: nil, environment: ["LARDER_URL": "http://[::1]:9/", "XDG_RUNTIME_DIR": "/run/user/1"]
        ) { _ in true }
        #expect(found == [DaemonAddress(place: .tcp(host: "::1", port: 9), authority: "[::1]:9")])
        let flag = try DaemonAddress.candidates(url: "unix:/a/b", environment: ["LARDER_URL": "http://x"]) { _ in true }
        #expect(flag == [DaemonAddress(place: .unix("/a/b"), authority: "localhost")])
    }

    @Test func socketsComeBeforeThePortAndOnlyWhereTheyAre() throws {
        let environment = ["RUNTIME_DIRECTORY": "/run/own", "XDG_RUNTIME_DIR": "/run/user/1"]
        let all = try DaemonAddress.candidates(url: nil, environment: environment) { _ in true }
        #expect(
            all.map(\.description) == [
                "unix:/run/own/larder.sock", "unix:/run/user/1/larder/larder.sock", "unix:/run/larder/larder.sock",
                "unix:/run/larder.sock", "http://127.0.0.1:8787",
            ])
        let shell = try DaemonAddress.candidates(url: nil, environment: ["HOME": "/h"]) { _ in true }
        #expect(shell.first?.description == "unix:/h/.local/state/larder/larder.sock")
        let none = try DaemonAddress.candidates(url: nil, environment: environment) { _ in false }
        #expect(none.map(\.description) == ["http://127.0.0.1:8787"])
    }

    @Test(arguments: [
        ("http://larder:80", "larder:80"), ("127.0.0.1:5", "127.0.0.1:5"), ("http://localhost", "localhost:8787"),
        ("HTTP://[::1]", "[::1]:8787"),
    ])
    func formsOfAnAddress(_ url: String, _ authority: String) throws {
        #expect(try DaemonAddress(url: url).authority == authority)
    }

    @Test(arguments: [
        "https://127.0.0.1", "http://a/b", "http://u@h", "http://a:0", "http://a:x", "", "unix:rel", "http://[::1",
    ])
    func whatIsNoAddressIsAUsageFailure(_ url: String) {
        #expect { try DaemonAddress(url: url) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test func localhostIsLookedUp() throws {
        let found = try DaemonAddress(url: "http://localhost:7").socketAddresses()
        #expect(found.contains(try Address("127.0.0.1:7")))
    }
}
