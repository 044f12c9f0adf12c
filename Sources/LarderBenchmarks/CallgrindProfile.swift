// Parses callgrind's dumps (valgrind.org/docs/manual/cl-format.html): instructions and calls of each function. The
// first of two dumps counts N requests, the second counts the next 2N. Their difference is the cost of N requests and
// nothing else.
import LarderCore

/// The counts of one dump.
struct CallgrindProfile {
    struct Function {
        /// The function's own instructions, without those of its callees.
        var instructions = 0
        var calls = 0
    }

    private(set) var functions: [String: Function] = [:]
    /// The number of objects that each function allocated.
    private(set) var makers: [String: Int] = [:]

    /// Adds up the counts of several threads.
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
            // The first use of a number also gives its name. Later uses have only the number.
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
                // A position and a cost. The line after `calls=` is the cost of the callee, which the callee's own
                // lines already include.
                if !isCallCost, let cost = line.split(separator: " ").last.flatMap({ Int($0) }) {
                    functions[current, default: Function()].instructions += cost
                }
                isCallCost = false
            default: break
            }
        }
    }

    var instructions: Int { functions.values.reduce(0) { $0 + $1.instructions } }

    /// Removes callgrind's mark for deeper levels of a recursion: "f'2".
    private static func plain(_ name: Substring) -> String {
        guard let mark = name.lastIndex(of: "'"), Int(name[name.index(after: mark)...]) != nil else {
            return String(name)
        }
        return String(name[..<mark])
    }

    /// The difference between a later profile and this one, divided by a number of requests: the cost of one request.
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

/// The dumps of all threads from one moment, by callgrind's number of the thread.
struct ThreadProfiles {
    var threads: [String: CallgrindProfile] = [:]

    var busiest: String? {
        threads.max { ($0.value.instructions, $1.key) < ($1.value.instructions, $0.key) }?.key
    }

    /// The cost of one request, computed from this dump and the next one, which counts twice as many requests.
    /// - Parameter isOnOneThread: counts only the busiest thread. A hit stays on its loop, and the periodic work of the
    ///   store's threads falls into one count and not into the next.
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
    /// Objects allocated, by the allocating function.
    var makers: [String: Double] = [:]

    var instructions: Double { functions.values.reduce(0) { $0 + $1.instructions } }

    /// Calls of all functions that allocate memory. Swift's own functions call these.
    var allocations: Double { calls("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign") }

    /// Reference counts raised or lowered. The runtime's entry points jump to the functions with an underscore, so only
    /// the names that callers use are counted.
    var references: Double {
        calls("swift_retain", "swift_release", "swift_bridgeObjectRetain", "swift_bridgeObjectRelease")
    }

    private func calls(_ names: String...) -> Double {
        names.reduce(0) { $0 + (functions[$1]?.calls ?? 0) }
    }

    /// The functions that at least every tenth request calls. These are on the path itself; timers and the work of
    /// other threads are left out.
    var reached: [String] { functions.filter { $0.value.calls >= 0.1 }.keys.sorted() }
}
