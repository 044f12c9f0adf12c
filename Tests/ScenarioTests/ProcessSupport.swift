// Shared by the scenarios with a process of their own: an origin whose answer to each target is unique to that target,
// and a configuration for it.
import LarderCore
import LarderTestSupport

/// An origin whose answers contain what was asked, so a mixed-up or shortened answer is recognised by its content.
enum TellingOrigin {
    /// A passthrough body. The target determines its length, from a few bytes to several pieces of the store.
    static func body(_ target: String) -> Bytes {
        let number = Int(target.filter(\.isNumber)) ?? 0
        let length = number % 16 == 7 ? 2_500_000 : number % 4 == 1 ? 150_000 : 200 + number % 5000
        let unit = Bytes(text: String(repeating: "<\(target)>", count: length > 10_000 ? 500 : 1))
        var body = Bytes()
        body.reserveCapacity(length + unit.count)
        while body.count < length { body += unit }
        return body + Bytes(text: " end")
    }

    /// The title of the one song that a search finds.
    static func title(_ term: String) -> String { "Song of \(term)" }

    static func song(_ term: String) -> String {
        BasicScenarios.song.replacing("Upside Down", with: title(term))
    }

    /// The value of `term` in an iTunes request, which is one word here.
    static func term(_ target: String) -> String? {
        guard let start = target.firstRange(of: "term=") else { return nil }
        return String(target[start.upperBound...].prefix { $0 != "&" })
    }

    static func make() -> ScriptedOrigin {
        ScriptedOrigin { request in
            if request.target.hasPrefix("/search"), let term = term(request.target) {
                return [.send(ok(song(term), fields: "Content-Type: text/javascript; charset=utf-8\r\n"))]
            }
            let body = body(request.target)
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=86400\r\n"
                + "Content-Length: \(body.count)\r\n\r\n"
            return [.sendBytes(Bytes(text: head) + body)]
        }
    }

    /// A daemon with two listeners: its own interface, then the passthrough provider at its root.
    static func configuration(
        _ origin: ScriptedOrigin, cache: String, state: String, cacheMore: String = "",
        itunes: String = "    rate: off\n    quota: off", more: String = ""
    ) -> String {
        """
        listen: ["127.0.0.1:0", { address: "127.0.0.1:0", provider: shop }]
        cache: { path: "\(cache)", minFree: 0\(cacheMore) }
        state: { path: "\(state)" }
        \(more)
        providers:
          shop:
            kind: passthrough
            baseURL: "\(origin.base)"
          itunes:
            baseURL: "\(origin.base)"
        \(itunes)
        """
    }

    static func configuration(
        _ origin: ScriptedOrigin, in directory: TemporaryDirectory, cacheMore: String = "",
        itunes: String = "    rate: off\n    quota: off", more: String = ""
    ) -> String {
        configuration(
            origin, cache: "\(directory.path)/cache", state: "\(directory.path)/state", cacheMore: cacheMore,
            itunes: itunes, more: more)
    }
}
