// The bodies of the daemon's answers about itself, its providers, uploads and accounts, as schemas.
import LarderCache
import LarderCore
import LarderEngine

enum InterfaceHouseSchemas {
    /// The shape of a component that no search answers with.
    static func schema(of component: InterfaceComponent) -> InterfaceSchema {
        switch component {
        case .status: .object(status)
        case .providerStatus: .object(providerStatus)
        case .limit:
            .object([
                .init("limit", .integer, "Calls in a window."), .init("windowSeconds", .integer),
                .init("remaining", .integer, "Calls that are left."), .optional("resetsAt", .time),
            ])
        case .explanation: .object(explanation)
        case .explainedSource: .object(explainedSource)
        case .rule:
            .object([
                .init("name"), .init("section", .text, "Where the rule stands."), .init("sentence"),
            ])
        case .providerSnapshot:
            .object([.init("at", .time), .init("providers", .list(.map(.any)), "Each with its state.")])
        case .providerEvent: .object([.init("provider"), .init("at", .time), .optional("class")])
        case .upload: .object(upload)
        case .deleted: .object([.init("deleted", .flag), .optional("id", .text, "The upload that it was.")])
        case .signInStart:
            .object([
                .init("url", .text, "The page to sign in at."), .init("expiresAt", .time), .init("startedAt", .time),
                .optional("callback", .text, "What the application has to name."), .init("renewable", .flag),
            ])
        case .signedIn:
            .object([
                .init("signedIn", .flag), .init("provider"), .optional("account"), .init("expiresAt", .time),
            ])
        case .signedOut: .object([.init("signedIn", .flag), .init("wasSignedIn", .flag)])
        case .account: .object(account)
        case .purge: .object(purge)
        case .settings:
            .object([
                .init(
                    "settings",
                    .list(
                        .object([
                            .init("path"), .optional("value"), .optional("default"), .init("from"),
                            .init("needsRestart", .flag),
                        ])))
            ])
        case .resumed: .object([.init("resumed", .text, "The provider's name.")])
        default: .any
        }
    }

    private static let status: [InterfaceSchema.Member] = [
        .init("version"), .init("commit", .text, "The commit that was built, or unknown."),
        .init("libraries", .map(.text), "The versions of the libraries in use."), .init("startedAt", .time),
        .init("uptimeSeconds", .integer),
        .init("providers", .list(.component(.providerStatus))),
        .init(
            "store",
            .object([
                .init("entries", .integer), .init("liveBytes", .integer), .init("fileBytes", .integer),
                .init("walBytes", .integer), .init("maxBytes", .integer),
                .optional("degraded", .text, "Why nothing can be stored."), .init("pendingRemovals", .integer),
                .init("byProvider", .map(.object([.init("entries", .integer), .init("bytes", .integer)]))),
            ])),
        .init("state", .object([.optional("degraded", .text, "Why calls cannot be written down.")])),
        .init(
            "memory",
            .object([.init("entries", .integer), .init("bytes", .integer), .init("maxBytes", .integer)])),
    ]

    private static let providerStatus: [InterfaceSchema.Member] = [
        .init("name"), .init("title"), .init("kind", .words(["passthrough", "builtIn"])),
        .init("state", .words(["off", "notConfigured", "suspended", "probing", "budgetSpent", "ready"])),
        .optional("configurationProblem"), .optional("minimumTerm", .integer, "Characters that a term must have."),
        .init("reachability"), .optional("reachable", .flag), .optional("lastSuccess", .time),
        .optional("lastFailure", .time),
        .optional("lastFailureClass", .words(FailureClass.allCases.map(\.rawValue))), .optional("lastFailureDetail"),
        .optional("suspendedUntil", .time), .optional("suspensionReason"),
        .init("budget", .map(.any), "rate and quota as Limit, and what the API says of its credits."),
        .init("answers", .map(.integer), "How many answers of each outcome since the start."),
        .init("totals", .map(.integer), "The same over every run."), .optional("attribution"),
    ]

    private static let explanation: [InterfaceSchema.Member] = [
        .init("requestId"), .init("at", .time), .init("method"), .init("path"), .init("route"),
        .init("status", .integer),
        .optional("trace", .text, "The trace id of the request's traceparent."),
        .optional(
            "problem",
            .object([
                .init("code"), .init("detail"), .optional("parameter"), .optional("allowed", .list(.text)),
            ])),
        .init("sources", .list(.component(.explainedSource))),
    ]

    private static let explainedSource: [InterfaceSchema.Member] = [
        .init("provider"), .init("outcome", .words(CacheOutcome.allCases.map(\.rawValue))),
        .init("explanation", .list(.text), "What happened, in sentences."),
        .init("key", .map(.text), "What makes the entry's identity."), .optional("forward"),
        .optional("upstreamStatus", .integer), .optional("rule", .component(.rule)),
        .optional("storing", .component(.rule)), .optional("stored", .flag), .optional("commit"),
        .optional("receivedAt", .time), .optional("age", .integer), .optional("freshUntil", .time),
        .optional("ttl", .integer), .optional("staleUntil", .time), .optional("class"), .optional("detail"),
        .optional(
            "limiter",
            .object([
                .optional("rateRemaining", .integer), .optional("quotaRemaining", .integer),
                .optional("resetsAt", .time), .init("suspended", .flag), .optional("suspendedUntil", .time),
                .init("reachability"),
            ])),
    ]

    private static let upload: [InterfaceSchema.Member] = [
        .init("id"), .init("state", .words(UploadMachine.State.allCases.map(\.rawValue))),
        .init("sent", .integer, "Bytes that were sent."), .optional("total", .integer, "Bytes to be sent."),
        .init("allSent", .flag), .init("createdAt", .time), .optional("endedAt", .time),
        .optional("image", .map(.any), "What the API made of it."),
        .optional("error", .object([.init("code"), .optional("class"), .optional("detail")])),
        .optional("mayExist", .flag, "It may have arrived although the answer was lost."), .init("self"),
        .init("content", .text, "Where its file goes."), .init("events", .text, "The path of its events."),
    ]

    private static let account: [InterfaceSchema.Member] = [
        .init("provider"), .init("signedIn", .flag), .optional("account"), .optional("signedInAt", .time),
        .optional("expiresAt", .time), .optional("renewsAt", .time), .optional("renewable", .flag),
        .optional("reason", .text, "Why nobody is signed in any more."),
        .init("pending", .integer, "Sign-ins that wait for their end."),
        .optional("lastFailure", .object([.init("at", .time), .init("detail")])),
    ]

    private static let purge: [InterfaceSchema.Member] = [
        .init("purged", .integer, "Entries."), .init("soft", .flag),
        .optional("pending", .flag, "It counts, and is not on the disk yet."), .optional("survivesRestart", .flag),
        .optional("reason", .text, "Why it came to nothing, or is pending."),
    ]
}
