// The calls to a provider by tool, as `/v1/status` tells them. Only names of the settings, `other` and `larder` exist.
import LarderCore
import LarderEngine

enum ToolCalls {
    /// Appends the list of the tools that made or wanted calls.
    static func write(
        _ provider: String, _ lane: LaneReport?, _ counters: CounterRegistry, to writer: inout JSONWriter
    ) {
        func figures(_ family: MetricFamily) -> [String: Int] {
            let own = counters.figures(family).filter { $0.labels.first == provider && $0.value > 0 }
            return Dictionary(own.map { ($0.labels[1], Int($0.value)) }, uniquingKeysWith: +)
        }
        let (sent, refused) = (figures(EngineCounters.toolCalls), figures(EngineCounters.toolRefusals))
        writer.array { writer in
            for tool in Set(sent.keys).union(refused.keys).sorted() {
                writer.object { writer in
                    writer.member("tool", tool)
                    writer.member("calls", sent[tool] ?? 0)
                    writer.member("refused", refused[tool] ?? 0)
                    let use = lane?.tools[tool]
                    if lane?.rate != nil { writer.member("rate", use?.rate ?? 0) }
                    if lane?.quota != nil { writer.member("quota", use?.quota ?? 0) }
                }
            }
        }
    }
}
