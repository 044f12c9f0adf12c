// Random requests for a film that changes, checked against its versions: each answer is of one version, its bytes are
// at the stated place, and no older version follows a newer one.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct PartModelScenarios {
    private static let films = [
        Film(version: "a", size: 1_500_000, most: .max), Film(version: "b", size: 90_000, most: .max),
        Film(version: "c", size: 1_500_000, most: .max), Film(version: "d", size: 300_000, most: .max),
        Film(version: "e", size: 2_000_000, most: .max), Film(version: "f", size: 200_000, most: .max),
    ]

    /// The fields of a random request.
    private static func fields(_ random: inout SeededGenerator, _ size: Int64) -> [(String, String)] {
        var fields: [(String, String)] = []
        let first = Int64.random(in: 0..<size, using: &random)
        let count = Int64.random(in: 1...120_000, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: break
        case 1: fields.append(("Range", "bytes=\(first)-"))
        case 2: fields.append(("Range", "bytes=-\(count)"))
        default: fields.append(("Range", "bytes=\(first)-\(first + count)"))
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: fields.append(("Cache-Control", "no-cache"))
        case 1: fields.append(("If-Range", "\"\(films.randomElement(using: &random)?.version ?? "a")\""))
        default: break
        }
        return fields
    }

    /// What is wrong with an answer, or nil.
    private static func fault(_ response: WireResponse) -> String? {
        guard let tag = response["ETag"], let film = films.first(where: { "\"\($0.version)\"" == tag }) else {
            return response.status == 416 ? nil : "it is of no version"
        }
        switch response.status {
        case 200: return response.body == film.bytes(0..<film.size) ? nil : "it is not the whole of \(tag)"
        case 206:
            let place = ContentRange(["Content-Range": response["Content-Range"] ?? ""])
            guard let place, place.length == film.size else { return "it does not say where its bytes are" }
            return response.body == film.bytes(place.range) ? nil : "its bytes are not those of \(tag)"
        case 416: return nil
        default: return "its status is \(response.status)"
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func eachAnswerIsOfOneVersionAndNoOlderOneFollows(_ seed: UInt64) async throws {
        let current = Lock(0)
        let origin = ScriptedOrigin { request in films(current.withLock { $0 }).acts(request) }
        @Sendable func films(_ number: Int) -> Film { Self.films[number] }
        defer { origin.stop() }
        let configuration = "cache: { maxObject: 256KiB }\n" + PartScenarios.configuration(origin)
        try await withLarder(configuration) { larder in
            var random = SeededGenerator(seed)
            var newest = 0
            for number in 0..<60 {
                if number % 10 == 9 { current.withLock { $0 = min($0 + 1, Self.films.count - 1) } }
                let asked = Self.fields(&random, films(current.withLock { $0 }).size)
                let response = try await larder.send("GET", "/raw/api/film", fields: asked)
                let fault = Self.fault(response)
                #expect(fault == nil, "\(number) \(asked): \(fault ?? ""), \(response["Cache-Status"] ?? "")")
                guard let tag = response["ETag"],
                    let version = Self.films.firstIndex(where: { "\"\($0.version)\"" == tag })
                else { continue }
                #expect(version >= newest, "\(number) \(asked): \(tag) after a newer one")
                newest = max(newest, version)
            }
        }
    }
}
