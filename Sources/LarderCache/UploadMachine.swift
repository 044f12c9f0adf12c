// The life of one upload as a value: events come in, actions go out. A body can be sent only once, so no end state can
// be left, and no action ever repeats the upload.
import LarderCore

/// Why an upload failed.
public enum UploadFailure: String, Sendable, Hashable, CaseIterable {
    /// The client's connection ended before the whole content was passed on.
    case clientLost
    /// The upstream's connection failed, or its response was not complete.
    case upstreamLost
    /// The upstream responded with an error.
    case refused
    /// Nothing was sent: no budget, no key, or a suspended provider.
    case notSent
    /// The upload was paused for longer than is allowed.
    case pausedTooLong
    case tooLarge
    /// The content is neither a picture nor a film.
    case notMedia
    /// The form around the content is malformed.
    case malformed
    /// No content arrived in time.
    case neverBegun
}

/// The state machine of one upload.
public struct UploadMachine: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The upload waits for its content.
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
        /// This many further bytes were passed on.
        case bytesSent(Int)
        /// The last byte of the content was passed on.
        case contentEnded
        case pause
        case resume
        case cancel
        case clientLost
        case upstreamAnswered
        /// The upload can no longer succeed.
        case failed(UploadFailure)
    }

    public enum Action: Sendable, Hashable {
        /// Open the upstream connection and pass the content on.
        case begin
        /// Stop reading from the client.
        case hold
        case goOn
        /// End what is under way on both sides.
        case abort
        /// The upload has ended: tell everyone who waits for its end.
        case settle
        /// The input is not possible now. Nothing has changed.
        case refuse
    }

    public private(set) var state = State.waiting
    /// The bytes of the content that were passed on.
    public private(set) var sent: Int64 = 0
    /// The bytes of the whole content, if known.
    public private(set) var total: Int64?
    /// Whether all of the content was passed on.
    public private(set) var isAllSent = false
    public private(set) var failure: UploadFailure?

    public init() {}

    /// Whether the upload did not succeed, although the upstream may have received all of it and carried it out.
    public var mayHaveArrived: Bool { (state == .failed || state == .cancelled) && isAllSent && failure != .refused }

    /// Takes an input.
    /// - Returns: the actions to perform, in that order.
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
            // Nothing is left to hold back.
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
            // Once everything was passed on, the response arrives without the client's help.
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
