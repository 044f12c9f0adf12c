// One upload's life as a value: what happens comes in, what to do goes out. A body can be sent once, so there is no way
// back from any end, and nothing here ever says "again".
import LarderCore

/// Why an upload came to nothing.
public enum UploadFailure: String, Sendable, Hashable, CaseIterable {
    /// The client's connection ended before everything was handed on.
    case clientLost
    /// The upstream's connection failed, or its answer did not come whole.
    case upstreamLost
    /// The upstream answered, and it was no success.
    case refused
    /// It was not sent at all: no budget, no key, a provider that rests.
    case notSent
    /// It stood still longer than is allowed.
    case pausedTooLong
    case tooLarge
    /// The content is no picture or film.
    case notMedia
    /// The form around the content is malformed.
    case malformed
    /// No content came in time.
    case neverBegun
}

/// The state of one upload.
public struct UploadMachine: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// For its content.
        case waiting
        case running
        case paused
        case finished
        case failed
        case cancelled

        public var isEnd: Bool {
            switch self {
            case .waiting, .running, .paused: false
            case .finished, .failed, .cancelled: true
            }
        }
    }

    public enum Input: Sendable, Hashable {
        /// A request brings the content.
        case contentArrived(total: Int64?)
        /// So many bytes more were handed on.
        case bytesSent(Int)
        /// The content's last byte was handed on.
        case contentEnded
        case pause
        case resume
        case cancel
        case clientLost
        case upstreamAnswered
        /// It cannot succeed any more.
        case failed(UploadFailure)
    }

    public enum Action: Sendable, Hashable {
        /// Open the upstream's connection and hand the content on.
        case begin
        /// Read no more from the client.
        case hold
        case goOn
        /// End what is under way on both sides.
        case abort
        /// It has come to its end: tell whoever waits for that.
        case settle
        /// This cannot be done now; nothing has changed.
        case refuse
    }

    public private(set) var state = State.waiting
    /// Bytes of the content that were handed on.
    public private(set) var sent: Int64 = 0
    /// Bytes of the content, where that is known.
    public private(set) var total: Int64?
    /// All of the content was handed on.
    public private(set) var isAllSent = false
    public private(set) var failure: UploadFailure?

    public init() {}

    /// It did not succeed, but the upstream may have all of it, and have made what was asked for.
    public var mayHaveArrived: Bool { (state == .failed || state == .cancelled) && isAllSent && failure != .refused }

    /// - Returns: what to do, in that order.
    public mutating func take(_ input: Input) -> [Action] {
        switch input {
        case .contentArrived(let total):
            guard state == .waiting else { return [.refuse] }
            self.total = total
            state = .running
            return [.begin]
        case .bytesSent(let count):
            guard !state.isEnd else { return [] }
            sent += Int64(count)
            return []
        case .contentEnded:
            guard !state.isEnd else { return [] }
            isAllSent = true
            total = sent
            // There is nothing left to hold back.
            if state == .paused {
                state = .running
                return [.goOn]
            }
            return []
        case .pause:
            switch state {
            case .paused: return []
            case .running where !isAllSent:
                state = .paused
                return [.hold]
            default: return [.refuse]
            }
        case .resume:
            switch state {
            case .running: return []
            case .paused:
                state = .running
                return [.goOn]
            default: return [.refuse]
            }
        case .cancel:
            guard !state.isEnd else { return [.refuse] }
            return end(.cancelled)
        case .clientLost:
            // Once all was handed on, the answer comes without the client's help.
            guard state == .running || state == .paused, !isAllSent else { return [] }
            return fail(.clientLost)
        case .upstreamAnswered:
            guard state == .running || state == .paused else { return [] }
            state = .finished
            return [.settle]
        case .failed(let failure):
            guard !state.isEnd else { return [] }
            return fail(failure)
        }
    }

    private mutating func fail(_ failure: UploadFailure) -> [Action] {
        self.failure = failure
        return end(.failed)
    }

    private mutating func end(_ state: State) -> [Action] {
        let wasUnderWay = self.state != .waiting
        self.state = state
        return wasUnderWay ? [.abort, .settle] : [.settle]
    }
}
