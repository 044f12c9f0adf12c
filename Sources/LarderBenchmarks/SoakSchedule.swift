// The events of a soak and their times. The seed and the length determine this value, so a run can be repeated. The
// first two fifths contain the restarts. In the rest one process runs without a restart, with a rest near its beginning
// and one at its end, so that its memory can be compared.

/// An action of the harness on larder or its environment.
enum SoakEvent: Equatable {
    /// SIGTERM, then a new start.
    case restart
    /// kill -9, then a new start.
    case kill
    /// SIGHUP with a changed configuration.
    case reload
    /// The disk of the cache is filled up to this many free bytes.
    case fillDisk(free: Int)
    case emptyDisk
    /// The wall clock of larder jumps by this many seconds.
    case stepClock(Int)
    /// The wall clock of larder is right again.
    case resetClock
    /// This many of a thousand requests meet a fault at the shaky origin.
    case faults(perMille: Int)
    /// The clients pause, and larder's resources are recorded.
    case rest
}

struct SoakSchedule {
    struct Entry: Equatable {
        /// The time since the start.
        var milliseconds: Int
        var event: SoakEvent
    }

    /// Ordered by time. The last event is a rest.
    var entries: [Entry] = []

    /// - Parameter seconds: how long requests are sent, without the rests.
    init(seed: UInt64, seconds: Int) {
        let end = seconds * 1000
        let boundary = end * 2 / 5
        let firstRest = boundary + (end - boundary) / 3
        var random = SplitMix(state: seed)
        var isFull = false
        var isShifted = false
        // About one event every three seconds, so that the effect of each can be seen.
        var at = 2000
        while at < end - 3000 {
            defer { at += 1500 + Int(random.next() % 3000) }
            let mayRestart = at < boundary
            switch random.next() % (mayRestart ? 14 : 11) {
            case 0, 1: entries.append(Entry(milliseconds: at, event: .reload))
            case 2, 3, 4:
                let free = random.next() % 2 == 0 ? 0 : 3 << 20
                entries.append(Entry(milliseconds: at, event: isFull ? .emptyDisk : .fillDisk(free: free)))
                isFull.toggle()
            case 5, 6, 7:
                let minutes = [1, 10, 59, 180, 1440][Int(random.next() % 5)] * (random.next() % 2 == 0 ? 1 : -1)
                let resets = isShifted && random.next() % 2 == 0
                entries.append(Entry(milliseconds: at, event: resets ? .resetClock : .stepClock(minutes * 60)))
                isShifted = !resets
            case 8, 9, 10:
                entries.append(
                    Entry(milliseconds: at, event: .faults(perMille: [0, 50, 300, 900][Int(random.next() % 4)])))
            case 11, 12: entries.append(Entry(milliseconds: at, event: .restart))
            default: entries.append(Entry(milliseconds: at, event: .kill))
            }
        }
        // Each rest begins with free disk space, the right clock and a healthy origin, so the compared states are the
        // same.
        for rest in [firstRest, end] {
            let place = entries.firstIndex { $0.milliseconds >= rest } ?? entries.endIndex
            let quiet: [SoakEvent] = [.emptyDisk, .resetClock, .faults(perMille: 0), .rest]
            entries.insert(contentsOf: quiet.map { Entry(milliseconds: rest, event: $0) }, at: place)
        }
    }
}
