// What callgrind counted (valgrind.org/docs/manual/cl-format.html): instructions and calls for each function. Two dumps
// of one process, made after N and after 2N requests more, differ by what N requests cost, and by nothing else.
import LarderCore

/// The counts of one dump.
struct CallgrindProfile {
    struct Function {
        /// Instructions of its own, without what it called.
        var instructions = 0
        var calls = 0
    }

    private(set) var functions: [String: Function] = [:]
    /// Who made objects, and how many.
    private(set) var makers: [String: Int] = [:]

    /// The counts of several threads together.
    init(_ threads: [CallgrindProfile]) {
        for thread in threads {
            for (name, function) in thread.functions {
                functions[name, default: Function()].instructions += function.instructions
                functions[name, default: Function()].calls += function.calls
            }
            makers.merge(thread.makers, uniquingKeysWith: +)
        }
    }

    init(_ text: String) {
        var names: [Substring: Substring] = [:]
        func name(_ value: Substring) -> Substring {
            guard value.hasPrefix("("), let end = value.firstIndex(of: ")") else { return value }
            let number = value[...end]
            let rest = value[value.index(after: end)...]
            // The first use of a number names it; later ones are the number alone.
            if !rest.isEmpty { names[number] = rest.dropFirst() }
            return names[number] ?? number
        }
        var current = ""
        var called: Substring = ""
        var isCallCost = false
        for line in text.split(separator: "\n") {
            guard let first = line.utf8.first else { continue }
            switch first {
            case UInt8(ascii: "f") where line.hasPrefix("fn="):
                current = Self.plain(name(line.dropFirst(3)))
            case UInt8(ascii: "c") where line.hasPrefix("cfn="):
                called = name(line.dropFirst(4))
            case UInt8(ascii: "c") where line.hasPrefix("calls="):
                let count = Int(line.dropFirst(6).prefix { $0 != " " }) ?? 0
                functions[Self.plain(called), default: Function()].calls += count
                if called == "swift_allocObject" { makers[current, default: 0] += count }
                isCallCost = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"):
                // A position and a cost. The line behind `calls=` is the cost of the called: it counts there already.
                if !isCallCost, let cost = line.split(separator: " ").last.flatMap({ Int($0) }) {
                    functions[current, default: Function()].instructions += cost
                }
                isCallCost = false
            default: break
            }
        }
    }

    var instructions: Int { functions.values.reduce(0) { $0 + $1.instructions } }

    /// callgrind marks the deeper rounds of a recursion: "f'2".
    private static func plain(_ name: Substring) -> String {
        guard let mark = name.lastIndex(of: "'"), Int(name[name.index(after: mark)...]) != nil else {
            return String(name)
        }
        return String(name[..<mark])
    }

    /// What the other has more than this, divided by a number of requests: the cost of one.
    func perRequest(until other: CallgrindProfile, requests: Int) -> RequestCost {
        var cost = RequestCost()
        let share = 1 / Double(max(requests, 1))
        for name in Set(functions.keys).union(other.functions.keys) {
            let (one, two) = (functions[name] ?? Function(), other.functions[name] ?? Function())
            let found = RequestCost.Function(
                instructions: Double(two.instructions - one.instructions) * share,
                calls: Double(two.calls - one.calls) * share)
            if found.instructions != 0 || found.calls != 0 { cost.functions[name] = found }
        }
        for name in Set(makers.keys).union(other.makers.keys) {
            let made = Double((other.makers[name] ?? 0) - (makers[name] ?? 0)) * share
            if made >= 0.1 { cost.makers[name] = made }
        }
        return cost
    }
}

/// The dumps of all threads, made at one time, by the number that callgrind gives a thread.
struct ThreadProfiles {
    var threads: [String: CallgrindProfile] = [:]

    var busiest: String? {
        threads.max { ($0.value.instructions, $1.key) < ($1.value.instructions, $0.key) }?.key
    }

    /// The cost of one request, from this dump and the next one, in which there were twice as many.
    /// - Parameter isOnOneThread: only what the busiest thread did counts. A hit never leaves its loop, and what the store's
    ///   threads do by the clock falls into one count and not into the next.
    func perRequest(until other: ThreadProfiles, requests: Int, isOnOneThread: Bool) -> RequestCost {
        if isOnOneThread, let thread = other.busiest, let first = threads[thread], let second = other.threads[thread] {
            return first.perRequest(until: second, requests: requests)
        }
        return CallgrindProfile(Array(threads.values)).perRequest(
            until: CallgrindProfile(Array(other.threads.values)), requests: requests)
    }
}

/// The cost of one request.
struct RequestCost {
    struct Function {
        var instructions: Double
        var calls: Double
    }

    var functions: [String: Function] = [:]
    /// Objects made, by who made them.
    var makers: [String: Double] = [:]

    var instructions: Double { functions.values.reduce(0) { $0 + $1.instructions } }

    /// Calls of everything that hands out memory. Swift's own functions call these.
    var allocations: Double { calls("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign") }

    /// Reference counts raised or lowered. The runtime's entry points jump to the functions with an underscore, so only
    /// those that callers name are counted.
    var references: Double {
        calls("swift_retain", "swift_release", "swift_bridgeObjectRetain", "swift_bridgeObjectRelease")
    }

    private func calls(_ names: String...) -> Double {
        names.reduce(0) { $0 + (functions[$1]?.calls ?? 0) }
    }

    /// Functions that every tenth request or more calls: those of the way itself, without timers and other threads' own
    /// business.
    var reached: [String] { functions.filter { $0.value.calls >= 0.1 }.keys.sorted() }
}
