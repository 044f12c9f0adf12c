// Samples in the shape of the D&D 5e API. Names and figures are of the System Reference Document 5.1 (CC BY 4.0,
// Wizards of the Coast); the texts are ours.
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

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let segments = path.split(separator: "/").map(String.init)
        guard segments.count >= 3, segments[0] == "api", segments[1] == "2014" || segments[1] == "2024" else {
            return .text(404, "Not Found")
        }
        guard let collection = Self.collections[segments[2]], segments.count <= 4 else {
            return .text(404, "Not Found")
        }
        if segments.count == 4 {
            guard let record = collection.first(where: { $0.index == segments[3] }) else {
                return .text(404, "Not Found")
            }
            return details(record, path: path)
        }
        if parameters.items.filter({ $0.name == "name" }).count > 1 {
            return json(status: 400) { writer in
                writer.member("error", "Invalid query parameters")
                writer.member("details", strings: ["name must be given once"])
            }
        }
        let wanted = parameters["name"]?.lowercased()
        let levels = parameters["level"]?.split(separator: ",").compactMap { Int($0) }
        let found = collection.sorted { $0.index < $1.index }.filter { record in
            (wanted.map { record.name.lowercased().contains($0) } ?? true)
                && (levels.map { $0.contains(record.level ?? -1) } ?? true)
        }
        return json { writer in
            writer.member("count", found.count)
            writer.name("results")
            writer.array { writer in
                for record in found {
                    writer.object { writer in
                        writer.member("index", record.index)
                        writer.member("name", record.name)
                        if let level = record.level { writer.member("level", level) }
                        writer.member("url", "\(path)/\(record.index)")
                    }
                }
            }
        }
    }

    private func details(_ record: Record, path: String) -> SampleAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("index", record.index)
            writer.member("name", record.name)
            if let level = record.level { writer.member("level", level) }
            writer.member("url", path)
            writer.member("updated_at", "2026-01-01T00:00:00.000Z")
        }
        // The record's own members are kept as JSON text, written without the braces.
        let body = writer.bytes.dropLast() + Bytes(text: ",\(record.members)}")
        var fields = fields
        fields.add("ETag", SampleAnswer.tag(of: Bytes(body)))
        return SampleAnswer(fields: fields, body: Bytes(body))
    }

    private struct Record: Sendable {
        var index: String
        var name: String
        var level: Int?
        /// Further members, as JSON text without braces.
        var members: String
    }

    private static let collections: [String: [Record]] = [
        "monsters": [
            monster("Aboleth", "Large", "aberration", "lawful evil", armor: 17, points: 135, "18d10", rating: "10"),
            monster(
                "Adult Red Dragon", "Huge", "dragon", "chaotic evil", armor: 19, points: 256, "19d12", rating: "17"),
            monster("Black Bear", "Medium", "beast", "unaligned", armor: 11, points: 19, "3d8", rating: "0.5"),
            monster("Goblin", "Small", "humanoid", "neutral evil", armor: 15, points: 7, "2d6", rating: "0.25"),
            monster(
                "Red Dragon Wyrmling", "Medium", "dragon", "chaotic evil", armor: 17, points: 75, "10d8", rating: "4"),
            monster("Skeleton", "Medium", "undead", "lawful evil", armor: 13, points: 13, "2d8", rating: "0.25"),
            monster(
                "Young Green Dragon", "Large", "dragon", "lawful evil", armor: 18, points: 136, "16d10", rating: "8"),
        ],
        "equipment": [
            item("Backpack", "Adventuring Gear", 2, "gp", weight: "5"), item("Club", "Weapon", 1, "sp", weight: "2"),
            item("Longsword", "Weapon", 15, "gp", weight: "3"), item("Plate Armor", "Armor", 1500, "gp", weight: "65"),
            item("Rope, hempen (50 feet)", "Adventuring Gear", 1, "gp", weight: "10"),
            item("Torch", "Adventuring Gear", 1, "cp", weight: "1"),
        ],
        "spells": [
            spell("Acid Arrow", 2, "Evocation", "A shimmering green arrow streaks towards a target within range."),
            spell("Fire Bolt", 0, "Evocation", "You hurl a mote of fire at a creature or object within range."),
            spell("Fireball", 3, "Evocation", "A bright streak flashes to a point you choose and bursts into flame."),
            spell("Mage Armor", 1, "Abjuration", "A protective magical force surrounds a willing, unarmored creature."),
            spell("Misty Step", 2, "Conjuration", "Briefly surrounded by silvery mist, you teleport up to 30 feet."),
        ],
    ]

    private static func slug(_ name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    private static func monster(
        _ name: String, _ size: String, _ type: String, _ alignment: String, armor: Int, points: Int, _ dice: String,
        rating: String
    ) -> Record {
        let members = """
            "size":"\(size)","type":"\(type)","alignment":"\(alignment)",\
            "armor_class":[{"type":"natural","value":\(armor)}],"hit_points":\(points),"hit_dice":"\(dice)",\
            "speed":{"walk":"30 ft."},"challenge_rating":\(rating),"languages":"","reactions":[],\
            "image":"/api/images/monsters/\(slug(name)).png"
            """
        return Record(index: slug(name), name: name, members: members)
    }

    private static func item(_ name: String, _ category: String, _ quantity: Int, _ unit: String, weight: String)
        -> Record
    {
        let members = """
            "equipment_category":{"index":"\(slug(category))","name":"\(category)",\
            "url":"/api/2014/equipment-categories/\(slug(category))"},\
            "cost":{"quantity":\(quantity),"unit":"\(unit)"},"weight":\(weight),"desc":[],"properties":[]
            """
        return Record(index: slug(name), name: name, members: members)
    }

    private static func spell(_ name: String, _ level: Int, _ school: String, _ text: String) -> Record {
        let members = """
            "desc":["\(text)"],"higher_level":[],"range":"120 feet","components":["V","S"],"ritual":false,\
            "duration":"Instantaneous","concentration":false,"casting_time":"1 action",\
            "school":{"index":"\(slug(school))","name":"\(school)","url":"/api/2014/magic-schools/\(slug(school))"}
            """
        return Record(index: slug(name), name: name, level: level, members: members)
    }
}
