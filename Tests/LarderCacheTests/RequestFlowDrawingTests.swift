// Generates the drawing in Docs by walking the machine through every kind of request, every state of the store and
// every end of a fetch. LARDER_WRITE_REQUEST_FLOW=<file> writes it.
import Foundation
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct RequestFlowDrawingTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/request-flow.dot")

    private struct Edge: Hashable, Comparable {
        var from: String
        var to: String

        static func < (one: Edge, other: Edge) -> Bool { (one.from, one.to) < (other.from, other.to) }
    }

    private static let kinds: [(String, RequestTerms)] = {
        var kinds: [(String, RequestTerms)] = []
        func add(_ name: String, _ terms: RequestTerms, _ change: (inout RequestTerms) -> Void = { _ in }) {
            var terms = terms
            change(&terms)
            kinds.append((name, terms))
        }
        add("", FlowCase.terms())
        add("by RFC 9111", FlowCase.standard())
        add("no-store", FlowCase.terms(["Cache-Control": "no-store"]))
        add("only-if-cached", FlowCase.terms(["Cache-Control": "only-if-cached"]))
        add("only-if-cached, other form", FlowCase.terms(["Cache-Control": "only-if-cached"])) {
            $0.worksFromStore = true
        }
        add("refresh", FlowCase.terms()) { $0.wantsFresh = true }
        add("personal", FlowCase.standard()) { $0.isPersonal = true }
        add("HEAD", FlowCase.terms()) { $0.isHead = true }
        add("range", FlowCase.terms()) { $0.wantsRange = true }
        add("range that may be stored", FlowCase.terms()) {
            $0.wantsRange = true
            $0.storesParts = true
        }
        return kinds
    }()

    private static let stored: [(String, StoredResponse?)] = [
        ("nothing", nil), ("fresh", FlowCase.entry(freshFor: 10)),
        ("absence", FlowCase.entry(freshFor: 10, negative: true)), ("stale", FlowCase.entry(freshFor: -10)),
        ("long stale", FlowCase.entry(freshFor: -700)), ("expired", FlowCase.entry(freshFor: -4000)),
    ]

    /// Decisions about parts, used if nothing else is stored.
    private static let parts: [(String, PartDecision)] = [
        ("some parts", .ask([0..<10])), ("nothing, a range far from the beginning", .askAsWritten(nil)),
        ("several ranges, not all stored", .forward(.severalRanges)),
    ]

    private static let fetched: [(String, Fetched)] = [
        ("an answer", FlowCase.fetched()), ("validated", FlowCase.fetched(304)), ("an error", FlowCase.fetched(503)),
        ("refused as a whole", FlowCase.fetched(403)),
        ("found stored", FlowCase.fetched { $0.origin = .store }),
        ("made of another form", FlowCase.fetched { $0.origin = .otherForm }),
        ("stale, for a failure", FlowCase.fetched { $0.origin = .standIn }),
        (
            "joined, too old",
            FlowCase.fetched {
                $0.origin = .otherForm
                $0.entry = FlowCase.entry(freshFor: -4000)
                $0.hasJoined = true
            }
        ),
        (
            "joined, another variant",
            FlowCase.fetched {
                $0.hasJoined = true
                $0.isSelected = false
            }
        ),
        (
            "arriving, nobody else's",
            FlowCase.fetched {
                $0.mayBeShared = false
                $0.body = .streaming
            }
        ),
    ]

    /// No step means that nothing was looked up yet.
    private static func name(_ step: RequestFlow.Step?) -> String {
        step.map { String(String(describing: $0).prefix { $0.isLetter }) } ?? "lookUp"
    }

    /// Follows all steps from this one, at most as far as a request can go.
    private static func walk(
        _ flow: RequestFlow, _ step: RequestFlow.Step?, _ kind: String, _ depth: Int, _ edges: inout [Edge: Set<String>]
    ) {
        guard depth < 5 else { return }
        func take(_ what: String, _ next: (inout RequestFlow) -> RequestFlow.Step) {
            var flow = flow
            let to = next(&flow)
            let label = kind.isEmpty ? what : "\(what) (\(kind))"
            edges[Edge(from: name(step), to: name(to)), default: []].insert(label)
            walk(flow, to, kind, depth + 1, &edges)
        }
        switch step {
        case nil:
            for (what, entry) in stored { take(what) { $0.lookedUp(entry, now: FlowCase.now) } }
            for (what, parts) in parts { take(what) { $0.lookedUp(nil, parts: parts, now: FlowCase.now) } }
        case .fetch, .fetchAlone, .fetchPart:
            for (what, brought) in fetched {
                // A separate fetch is not shared.
                if brought.hasJoined, case .fetchAlone = step { continue }
                take(what) { $0.fetched(brought, now: FlowCase.now) }
            }
            for ending in RequestFlow.Ending.allCases {
                if ending == .unshareable, case .fetchAlone = step { continue }
                take("\(ending)") { $0.ended(ending, now: FlowCase.now) }
            }
        case .answer, .answerAndRefresh, .makeFromStore, .answerFetched, .passOn, .gatewayTimeout, .fail: break
        }
    }

    /// Removes labels for one kind of request if the same label holds for every kind.
    private static func labels(_ all: Set<String>) -> [String] {
        all.filter { label in
            guard let end = label.range(of: " (") else { return true }
            return !all.contains(String(label[..<end.lowerBound]))
        }.sorted()
    }

    private static func drawing() -> String {
        var edges: [Edge: Set<String>] = [:]
        for (kind, terms) in kinds {
            walk(RequestFlow(terms), nil, kind, 0, &edges)
        }
        var lines = [
            "// The way of one request through the cache, walked from the machine (Sources/LarderCache/RequestFlow.swift).",
            "// Boxes are steps that go on, ellipses are ends. A label says what was found or brought, and in brackets for",
            "// which requests only. Drawn by: dot -Tsvg request-flow.dot -o request-flow.svg",
            "digraph requestFlow {", "    rankdir=LR;",
        ]
        let going = Set(edges.keys.map(\.from))
        for node in going.union(edges.keys.map(\.to)).sorted() {
            lines.append("    \(node) [shape=\(going.contains(node) ? "box" : "ellipse")];")
        }
        for (edge, all) in edges.sorted(by: { $0.key < $1.key }) {
            lines.append("    \(edge.from) -> \(edge.to) [label=\"\(labels(all).joined(separator: "\\n"))\"];")
        }
        return lines.joined(separator: "\n") + "\n}\n"
    }

    @Test func theDrawingIsTheMachines() throws {
        let drawing = Self.drawing()
        if let path = ProcessInfo.processInfo.environment["LARDER_WRITE_REQUEST_FLOW"] {
            try drawing.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(page == drawing, "LARDER_WRITE_REQUEST_FLOW=<file> writes it anew")
    }
}
