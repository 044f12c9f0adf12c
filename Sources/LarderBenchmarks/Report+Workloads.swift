// The tables of the workloads that go beyond hits on a few bodies.
import LarderCore

extension Report {
    var workloads: [String] {
        var sections: [String] = []
        if !results.mixed.isEmpty { sections.append(mixed) }
        if !results.crowds.isEmpty { sections.append(crowds) }
        if let found = results.million { sections.append(million(found)) }
        if let found = results.eviction { sections.append(eviction(found)) }
        if !results.large.isEmpty { sections.append(large) }
        if !results.stalls.isEmpty { sections.append(stalls) }
        if let found = results.fleet { sections.append(fleet(found)) }
        return sections
    }

    private func one(_ value: Double) -> String { Figures.fixed(value, 1) }
    private func mebibytes(_ bytes: Int) -> String { Figures.grouped(Double(bytes) / 1_048_576) }

    private var mixed: String {
        let kinds = MixedRun.kinds.filter { results.mixed[$0] != nil }
        let rows = kinds.compactMap { kind -> [String]? in
            guard let found = results.mixed[kind] else { return nil }
            return [
                kind.title, Figures.spread(found.perSecond, Figures.grouped),
                Figures.spread(found.p50, Figures.grouped), Figures.spread(found.p99, Figures.grouped),
                Figures.spread(found.hitRatio) { one($0 * 100) + " %" },
                Figures.fixed((found.busy.median ?? 0) * 100, 0) + " %", mebibytes(found.anonymous * 1024),
                mebibytes(found.greatestResident * 1024), mebibytes(found.disk), one(found.fillSeconds),
            ]
        }
        var text = title("Mixed workload")
        text += "\(Figures.grouped(Double(arguments.objects))) objects of real sizes (object-sizes.txt), asked for by "
        text += "Zipf's law with exponent \(ObjectSequence.exponent), 5 % of the requests for objects that are new; "
        text += "rounds of \(Figures.grouped(Double(arguments.mixedRequests))) requests over \(arguments.connections) "
        text += "connections, the same for each server, after each object was asked for once. Memory for bodies is "
        text += "bounded to 256 MiB in Varnish and in larder; nginx and larder keep everything on disk, through the "
        text += "system's page cache. Every byte of every answer was compared. Latencies are those of saturation.\n\n"
        text += Figures.table(
            [
                [
                    "Server", "requests/s", "p50 µs", "p99 µs", "hit ratio", "core busy", "RssAnon MiB", "VmHWM MiB",
                    "disk MiB",
                    "fill s",
                ]
            ] + rows)
        if let own = results.mixed[.larder] {
            for peer in kinds where peer != .larder {
                guard let other = results.mixed[peer] else { continue }
                let ratio = own.perSecond.ratio(to: other.perSecond)
                text +=
                    "\nlarder to \(peer.title): \(Figures.spread(ratio) { Figures.fixed($0, 2) }) times the requests."
            }
            text += "\n"
        }
        return text
    }

    private var crowds: String {
        let rows = [ServerKind.nginx, .varnish, .larder].compactMap { kind in
            results.crowds[kind].map {
                [
                    kind.title, Figures.spread($0.upstreamCalls, Figures.grouped),
                    Figures.spread($0.milliseconds, Figures.grouped),
                ]
            }
        }
        return title("\(CrowdRun.clients) identical misses at once, 10 KB")
            + "The origin answers after 300 ms; the time is from the first request to the last answer.\n\n"
            + Figures.table([["Server", "upstream calls", "ms"]] + rows)
    }

    private func million(_ found: MillionFigures) -> String {
        title("\(Figures.grouped(Double(found.entries))) entries of \(MillionRun.size) bytes, memory tier off")
            + Figures.table([
                ["Figure", "value"],
                ["filled through HTTP, seconds", one(found.fillSeconds)],
                ["on disk, MiB", mebibytes(found.disk)],
                ["start to first hit, ms", Figures.spread(found.start, one)],
                ["hits/s among \(MillionRun.few) entries", Figures.spread(found.smallHits, Figures.grouped)],
                [
                    "hits/s on \(MillionRun.few) of all those entries",
                    Figures.spread(found.largeHits, Figures.grouped),
                ],
                ["hits/s on all of them", Figures.spread(found.wholeHits, Figures.grouped)],
                ["anonymous memory, bytes an entry, just filled", one(found.bytesFilled)],
                ["the same after a restart and the load", one(found.bytesServing)],
            ])
    }

    private func eviction(_ found: EvictionFigures) -> String {
        title("Eviction, cap of 64 MiB, four caps written")
            + Figures.table([
                ["Figure", "value"],
                ["most bytes above the cap", Figures.grouped(Double(found.aboveCap))],
                ["largest object, bytes", Figures.grouped(Double(found.largestObject))],
                ["entries evicted", Figures.grouped(Double(found.evicted))],
                [
                    "miss below the cap, p50 and p99, µs",
                    "\(Figures.grouped(found.p50Before)) and \(Figures.grouped(found.p99Before))",
                ],
                [
                    "miss at the cap, p50 and p99, µs",
                    "\(Figures.grouped(found.p50Full)) and \(Figures.grouped(found.p99Full))",
                ],
                ["slowest miss at the cap, µs", Figures.grouped(found.greatestFull)],
                ["greatest write-ahead log, bytes", Figures.grouped(Double(found.log))],
            ])
    }

    private var large: String {
        let rows = results.large.map {
            [
                $0.title, one($0.megabytesPerSecond), one($0.firstByte), one(Double($0.peak) / 1024),
                $0.fault ?? "right to the last byte",
            ]
        }
        return title("A body of \(arguments.largeMebibytes) MiB through /raw")
            + Figures.table([["Transfer", "MB/s", "first byte, ms", "VmHWM, MiB", "body"]] + rows)
    }
}
