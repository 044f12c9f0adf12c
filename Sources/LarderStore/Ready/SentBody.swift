// A body that a loop sends from its file (sendfile(2)). Before its head goes out, the whole body is read through a small
// buffer without waiting, and compared with its checksum. So what is sent is in the kernel's memory and as it was
// written, and no array is made for it. For a second after that, it suffices that the kernel still has all of it. The
// open descriptor keeps the file while the answer is on its way, also after the entry is removed.
import CLinux
import Glibc
import LarderCore

final class SentBody: FileBody {
    /// The buffer, in bytes: small enough to stay in the processor's cache.
    private static let step = 32 << 10
    /// How long a body that was checked is not checked again, if all of it stays in memory.
    private static let checkedFor = Duration.seconds(1)
    private static let page = 4096

    let descriptor: Int32
    let length: Int
    private let sum: UInt32
    private let name: BodyName
    private let bodies: BodyFiles
    private let shared: StoreShared

    enum State {
        case whole, damaged
        /// Some of it is not in memory, or the file system cannot tell.
        case wouldWait
    }

    /// - Parameter descriptor: borrowed from `bodies`; given back when the object goes.
    init(_ descriptor: Int32, _ name: BodyName, length: Int, sum: UInt32, _ bodies: BodyFiles, _ shared: StoreShared) {
        (self.descriptor, self.name, self.length, self.sum) = (descriptor, name, length, sum)
        (self.bodies, self.shared) = (bodies, shared)
    }

    deinit { bodies.leave(name.id) }

    /// Whether all of the body is in memory and as it was written. On a loop.
    func look() -> State {
        let now = shared.time.monotonic()
        let isKnown = bodies.table.isChecked(name.id, at: now)
        if isKnown, larder_cached_pages(descriptor, 0, length) >= (length + Self.page - 1) / Self.page { return .whole }
        let state = check(waits: false)
        bodies.table.checked(name.id, until: state == .whole ? now + Self.checkedFor : .distantPast)
        return state
    }

    /// Compares the body with its checksum.
    /// - Parameter waits: whether reading may wait for the disk; false on a loop.
    func check(waits: Bool) -> State {
        var found = Checksum()
        let state = read(0..<length, waits) { found.add($0) }
        return state == .whole && found.value != sum ? .damaged : state
    }

    /// Copies the body if all of it is in memory.
    func copy(into bytes: inout Bytes) -> State {
        var state = State.whole
        bytes = Bytes(room: length) { buffer, count in
            let whole = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length])
            state = readAtOnce(whole, at: 0)
            if state == .whole, Checksum.of(UnsafeRawBufferPointer(whole)) != sum { state = .damaged }
            count = state == .whole ? length : 0
        }
        return state
    }

    func isInMemory(_ stretch: Range<Int>) -> Bool { read(stretch, false) { _ in } == .whole }

    func load(then: @escaping @Sendable (Bool) -> Void) {
        if !shared.reads.insist(.load(self, then), weight: 1) { then(false) }
    }

    /// Loads the body on a reader's thread, and checks it again: the disk may have damaged it since.
    func loadNow() -> Bool {
        shared.faults.passRead()
        let isWhole = check(waits: true) == .whole
        if !isWhole, shared.damaged.note(name, .piece) { shared.writes.nudge() }
        return isWhole
    }

    private func read(_ stretch: Range<Int>, _ waits: Bool, _ visit: (UnsafeRawBufferPointer) -> Void) -> State {
        withUnsafeTemporaryAllocation(byteCount: Self.step, alignment: 16) { buffer in
            var place = stretch.lowerBound
            while place < stretch.upperBound {
                let piece = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(Self.step, stretch.upperBound - place)])
                let state = waits ? readWaiting(piece, at: place) : readAtOnce(piece, at: place)
                guard state == .whole else { return state }
                visit(UnsafeRawBufferPointer(piece))
                place += piece.count
            }
            return .whole
        }
    }

    private func readAtOnce(_ piece: UnsafeMutableRawBufferPointer, at place: Int) -> State {
        let got = larder_pread_nowait(descriptor, piece.baseAddress, piece.count, place)
        switch NoWaitOutcome(got, of: piece.count, at: Int64(place), end: { NoWaitFiles.size(descriptor) }) {
        case .whole: return .whole
        case .wouldWait: return .wouldWait
        case .askSystem: return .damaged
        // The file is in memory, though its file system cannot read without waiting: reading it never waits.
        case .unsupported: return larder_is_in_memory(descriptor) != 0 ? readWaiting(piece, at: place) : .wouldWait
        }
    }

    private func readWaiting(_ piece: UnsafeMutableRawBufferPointer, at place: Int) -> State {
        var done = 0
        while done < piece.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: piece[done...])
            let got = pread(descriptor, rest.baseAddress, rest.count, off_t(place + done))
            if got > 0 { done += got } else if got == 0 || StoreError.lastNumber != EINTR { return .damaged }
        }
        return .whole
    }
}
