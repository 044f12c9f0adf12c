// The trial of the thin line: what a miss and a hit from disk cost where nothing but the line itself is there
// (Docs/engine-trial.md). No part of the daemon.
//
//   LarderTrial serve --config FILE          answers as the daemon would, as far as the harness asks
//   LarderTrial fill DIRECTORY COUNT SIZE    a database of the daemon's schema with so many entries
//   LarderTrial look DIRECTORY AMONG         times look-ups of the newest AMONG entries
//   LarderTrial cold DIRECTORY LOOKS         look-ups of a file that was put out of the page cache
import Glibc
import LarderCore
import LarderIO
import LarderStore

let words = Array(CommandLine.arguments.dropFirst())
var settings = TrialSettings(name: CommandLine.arguments.first ?? "")
guard NoWaitVFS.isRegistered else { exit(1) }

func number(_ index: Int) -> Int { words.count > index ? Int(words[index]) ?? 0 : 0 }

switch words.first {
case "--version": print("larder-trial")
case "serve":
    if let place = words.firstIndex(of: "--config"), words.count > place + 1 {
        settings.read(configuration: TrialSettings.text(of: words[place + 1]))
    }
    try await TrialRows.make(settings.directory)
    let loop = try EventLoop(name: "loop-0", index: 0)
    let writer = try EventLoop(name: "store-w", index: 1)
    try writer.start()
    try loop.start()
    let chosen = settings
    loop.post { TrialServer.run(chosen, loop, writer) }
    loop.join()
case "fill":
    try await TrialRows.make(words[1])
    try TrialRows.fill(words[1], count: number(2), size: number(3), bodies: settings.bodies)
case "look": try TrialLook.time(words[1], among: number(2), settings)
case "cold": try TrialLook.cold(words[1], looks: number(2))
default:
    print(
        "usage: LarderTrial serve --config FILE | fill DIRECTORY COUNT SIZE | look DIRECTORY AMONG | cold DIRECTORY LOOKS"
    )
    exit(2)
}
