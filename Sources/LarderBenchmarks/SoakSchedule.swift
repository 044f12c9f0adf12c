// What happens to larder during a soak, and when: a value made from the seed and the length, so that a run can be repeated.
// The first two fifths hold the restarts. In the rest one process runs through, with a rest near its beginning and one at its
// end, so that its memory can be compared with itself.

/// Something that the harness does to larder or around it.
enum SoakEvent: Equatable {
    /// SIGTERM, and started again.
    case restart
    /// kill -9, and started again.
    case kill
    /// SIGHUP with a changed configuration.
    case reload
    /// The disk of the cache fills up to so many free bytes.
    case fillDisk(free: Int)
    case emptyDisk
    /// The wall clock of larder jumps by so many seconds.
    case stepClock(Int)
    /// The clock is right again.
    case resetClock
    /// Of a thousand requests so many meet a fault at the shaky origin.
    case faults(perMille: Int)
    /// Nobody asks anything, and what larder holds is noted.
    case rest
}

struct SoakSchedule {
    struct Entry: Equatable {
        /// Since the start.
        var milliseconds: Int
        var event: SoakEvent
    }

    /// In order of time. The last is a rest.
    var entries: [Entry] = []

    /// - Parameter seconds: how long requests are sent, the rests not counted.
    init(seed: UInt64, seconds: Int) {
        let end = seconds * 1000
        let boundary = end * 2 / 5
        let firstRest = boundary + (end - boundary) / 3
        var random = SplitMix(state: seed)
        var isFull = false
        var isShifted = false
        // About one event in three seconds: time to see what each one does.
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
        // A rest begins with the disk empty and the origin well: what is compared is the same state.
        for rest in [firstRest, end] {
            let place = entries.firstIndex { $0.milliseconds >= rest } ?? entries.endIndex
            let quiet: [SoakEvent] = [.emptyDisk, .resetClock, .faults(perMille: 0), .rest]
            entries.insert(contentsOf: quiet.map { Entry(milliseconds: rest, event: $0) }, at: place)
        }
    }
}
