// The last few questions that a provider answered, to try it with. They tell a provider that fails from a question that
// fails. Each is a question of Larder's own, on a path that Larder knows, and carries nothing of a client. Forgotten
// when the settings change, because a call carries the configured key.
import LarderCache
import LarderCore
import LarderSettings

/// What a call asks, as far as it decides whom a failure blames.
public struct CallSubject: Sendable, Hashable {
    /// Whether Larder's own questions use the path, and the answer has the form that they expect.
    public var isKnownPath = true
    /// Whether the target names something of a person: a session, an account, an item to remove.
    public var isPersonal = false
}

struct KnownQuestions: Sendable {
    static let most = 4

    /// The question to try next comes first.
    private var calls: [UpstreamCall] = []

    var isEmpty: Bool { calls.isEmpty }

    func contains(_ call: UpstreamCall) -> Bool { calls.contains { $0.order.url == call.order.url } }

    /// Takes in a question that succeeded. The one that was known for longest makes room.
    mutating func succeeded(_ call: UpstreamCall) {
        guard call.mayBeTrial, !contains(call) else { return }
        if calls.count >= Self.most { calls.removeFirst() }
        calls.append(call)
    }

    /// Returns the question to try now. The others come first the next times.
    mutating func next() -> UpstreamCall? {
        guard !calls.isEmpty else { return nil }
        var call = calls.removeFirst()
        calls.append(call)
        call.tool = ToolSetting.own
        return call
    }

    mutating func forget() { calls = [] }
}

extension UpstreamCall {
    /// Whether Larder may repeat the call by itself.
    var mayBeTrial: Bool {
        self.subject.isKnownPath && !self.subject.isPersonal && self.isBudgeted && self.claim == nil
            && !hasClientCredentials
            && self.order.method == .get && self.order.body == nil
    }

    /// What decides whom a failure of this call blames.
    /// - Parameter suspension: what the provider is suspended for.
    func failed(_ failure: UpstreamFailure, known: KnownQuestions, suspension: FailureClass?) -> FailedCall {
        var failed = FailedCall(failure.failure, status: failure.response?.status)
        failed.namesPause = failure.retryAt != nil
        let isOfToken = self.isTokenInDoubt && failed.status == 401
        failed.credentials = self.claim != nil || isOfToken ? .account : hasClientCredentials ? .client : .own
        failed.isKnownPath = self.subject.isKnownPath
        failed.isPersonal = self.subject.isPersonal
        failed.succeededLately = known.contains(self)
        failed.hasKnown = !known.isEmpty
        failed.isKeyInDoubt = suspension == .refused || suspension == .limited
        return failed
    }
}
