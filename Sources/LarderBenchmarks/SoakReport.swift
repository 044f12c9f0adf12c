// The actions and findings of a soak, as a table.

struct SoakReport {
    let arguments: SoakArguments
    let state: SoakState
    let plateaus: [SoakPlateau]
    let disk: SoakDisk

    var text: String {
        let counts = state.counts
        var rows = [["What", "How often"]]
        for count in SoakCount.allCases { rows.append([count.title, Figures.grouped(Double(counts[count] ?? 0))]) }
        var text = "# Soak\n\n"
        text += "Seed \(arguments.seed), \(arguments.seconds) s, \(arguments.clients) clients, "
        text += "\(arguments.rate) requests a second; the disk was full "
        text += disk.isMounted ? "for real, on a tmpfs.\n\n" : "by `cache.minFree` only.\n\n"
        text += Figures.table(rows)
        text += "\n"
        text += Figures.table(
            [["At rest", "Memory, KiB", "Descriptors", "Threads", "Deepest stack, KiB", "Busiest thread"]]
                + plateaus.map {
                    [
                        "at \($0.milliseconds / 1000) s", Figures.grouped(Double($0.residentKibibytes)),
                        "\($0.descriptors)",
                        "\($0.threads)", "\($0.deepest.stackKibibytes) (\($0.deepest.name))",
                        "\($0.busiestPercent) % (\($0.busiest))",
                    ]
                })
        text += "\nTolerated: \(SoakPlateau.memoryPercent) % and \(SoakPlateau.memoryKibibytes / 1024) MiB of memory, "
        text += "\(SoakPlateau.descriptors) descriptors, \(SoakPlateau.threads) threads; "
        text += "\(SoakPlateau.stackKibibytes) KiB of a stack, \(SoakPlateau.idlePercent) % of a core at rest.\n\n"
        let findings = state.findings
        if findings.isEmpty { return text + "Nothing was found.\n" }
        return text + "Found:\n\n" + findings.map { "- \($0.line)\n" }.joined()
    }
}
