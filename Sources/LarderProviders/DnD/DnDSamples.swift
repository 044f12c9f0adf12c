// Samples in the form of the D&D 5e API. Names and figures are from the System Reference Document 5.1 (CC BY 4.0,
// Wizards of the Coast). The texts were written for Larder.
import LarderCore

struct DnDSamples: SampleAPI {
    let name = "dnd5e"
    let paths = ["/api/"]
    let fields: HeaderFields = [
        "Content-Type": "application/json; charset=utf-8", "Content-Language": "en",
        "Access-Control-Allow-Origin": "*",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.hasTag = true
        return rule
    }

    var questions: [SampleQuestion] { [.search("dragon", ("source", "dnd"))] }
    var recordedQuestions: [SampleQuestion] { [.get("/v1/dnd/monsters?name=dragon")] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        (["/v1/dnd"] + recording.segments.dropFirst(2) + (key.map { [$0] } ?? [])).joined(separator: "/")
    }

    /// The records of each collection, ordered by index.
    private static let collections = [
        "monsters": SampleFile("DnD/monsters").records(),
        "equipment": SampleFile("DnD/equipment").records(),
        "spells": SampleFile("DnD/spells").records(),
    ].merging(SampleFile("DnD/others").root?.members.map { ($0.name, Array($0.value.elements)) } ?? []) { $1 }
    private static let provider = SpecProvider(.dnd)

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let segments = request.path.split(separator: "/").map(String.init)
        guard Self.provider.endpointName(for: UpstreamRequest(path: request.path)) != "other",
            let collection = Self.collections[segments[2]]
        else { return .text(404, "Not Found") }
        if segments.count == 3 { return list(collection, request) }
        guard let record = collection.first(where: { $0["index"]?.string == segments[3] }) else {
            return .text(404, "Not Found")
        }
        var answer = json { $0.members(of: record, replacing: ["url": request.path]) }
        answer.fields.add("ETag", SampleAnswer.tag(of: answer.body))
        return answer
    }

    private func list(_ collection: [JSONValue], _ request: SampleRequest) -> SampleAnswer {
        let parameters = request.parameters
        if parameters.items.filter({ $0.name == "name" }).count > 1 {
            return json(status: 400) { writer in
                writer.member("error", "Invalid query parameters")
                writer.member("details", strings: ["name must be given once"])
            }
        }
        let wanted = parameters["name"]?.lowercased()
        let levels = parameters["level"]?.split(separator: ",").compactMap { Int($0) }
        let found = collection.filter { record in
            (wanted.map { record["name"]?.string?.lowercased().contains($0) == true } ?? true)
                && (levels.map { $0.contains(record["level"]?.integer ?? -1) } ?? true)
        }
        return json { writer in
            writer.member("count", found.count)
            writer.name("results")
            writer.array { writer in
                for record in found {
                    writer.object { writer in
                        let url = "\(request.path)/\(record["index"]?.string ?? "")"
                        writer.members(of: record, replacing: ["url": url]) { Self.listed.contains($0) }
                    }
                }
            }
        }
    }

    /// The members of a record that a list contains.
    private static let listed: Set = ["index", "name", "level", "url"]
}
