// Checks the hit path in the release binary: it must call no unspecialised generic, look up no type at run time, and
// allocate nothing. The counts show which functions were reached. Their demangled names show what they are.
import LarderCore

/// Judges functions by their names.
enum HotPathGenerics {
    /// The reason why a function must not be on the hot path; nil if it is allowed there.
    static func objection(mangled: String, demangled: String) -> String? {
        if let known = runtime.first(where: { mangled.hasPrefix($0.prefix) }) { return known.reason }
        if demangled.contains("witness table accessor") { return "looks a conformance up at run time" }
        if demangled.contains("value witness for") { return "handles a value through its type's table" }
        if demangled.contains("protocol witness for") { return "called through a witness table" }
        if demangled.hasPrefix("dispatch thunk of") { return "called through a protocol across libraries" }
        if isGeneric(demangled) { return "an unspecialised generic" }
        return nil
    }

    private static let runtime: [(prefix: String, reason: String)] = [
        ("swift_getGenericMetadata", "makes a type at run time"),
        ("swift_getWitnessTable", "looks a conformance up at run time"),
        ("swift_getAssociatedTypeWitness", "looks a type up at run time"),
        ("swift_getAssociatedConformanceWitness", "looks a conformance up at run time"),
        ("swift_getTypeByMangledName", "looks a type up at run time"),
        ("swift_conformsToProtocol", "looks a conformance up at run time"),
        ("swift_dynamicCast", "casts at run time"),
        ("swift_initStackObject", "makes an object"),
        ("swift_allocObject", "allocates"),
        ("swift_allocBox", "allocates"),
        ("swift_slowAlloc", "allocates"),
        ("swift_task_", "makes or switches a task"),
        ("__swift_instantiateConcreteTypeFromMangledName", "looks a type up at run time"),
        ("__swift_instantiateGenericMetadata", "makes a type at run time"),
    ]

    /// Whether a demangled name is an unspecialised generic function. A specialised function has "specialization <" in
    /// its name, even after further transformations ("function signature specialization … of generic specialization
    /// …").
    static func isGeneric(_ name: String) -> Bool {
        guard !name.contains("specialization <") else { return false }
        // Generic parameters are single letters with an optional number, "A", "B1" (docs/ABI/Mangling.rst of the Swift
        // project), between characters that may surround a type. Text after a point is a member.
        var word = ""
        var before: Character = " "
        for character in name + " " {
            if character.isLetter || character.isNumber || character == "_" || character == "." {
                word.append(character)
                continue
            }
            let head = word.prefix { $0 != "." }
            if "<(, ".contains(before), let letter = head.first, letter.isASCII, letter.isUppercase,
                head.dropFirst().allSatisfy(\.isNumber)
            {
                return true
            }
            word = ""
            before = character
        }
        return false
    }

    /// One permission: a text in the demangled name, the number of calls a request, and the reason.
    struct Permission {
        var name: String
        var calls: Double

        func covers(mangled: String, demangled: String, calls found: Double) -> Bool {
            // Timers add a few calls in a thousand requests.
            (mangled == name || demangled.contains(name)) && found <= calls + 0.05
        }
    }

    /// Parses the allow list. Its lines are `name | calls | reason`.
    static func allowed(_ text: String) throws(Failure) -> [Permission] {
        var rows: [Permission] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
            guard parts.count == 3, !parts[0].isEmpty, let calls = Double(parts[1]), !parts[2].isEmpty else {
                throw .failed("hot-path allow list", "a line without its name, calls or reason: \(line)")
            }
            rows.append(Permission(name: String(parts[0]), calls: calls))
        }
        return rows
    }
}
