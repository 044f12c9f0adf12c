// The schemas of responses about the daemon itself, its providers, uploads and accounts.
import LarderCache
import LarderCore
import LarderEngine
import LarderSettings

enum InterfaceHouseSchemas {
    /// The schema of a component that is not part of a search response.
    static func schema(of component: InterfaceComponent) -> InterfaceSchema {
        switch component {
        case .status: .object(status)
        case .providerStatus: .object(providerStatus)
        case .limit:
            .object([
                .init("limit", .integer, "The calls permitted in a window."), .init("windowSeconds", .integer),
                .init("remaining", .integer, "Calls left in the window."), .optional("resetsAt", .time),
            ])
        case .explanation: .object(explanation)
        case .explainedSource: .object(explainedSource)
        case .rule:
            .object([
                .init("name"), .init("section", .text, "The specification and section of the rule."), .init("sentence"),
            ])
        case .providerSnapshot:
            .object([.init("at", .time), .init("providers", .list(.map(.any)), "Each provider with its state.")])
        case .providerEvent: .object([.init("provider"), .init("at", .time), .optional("class")])
        case .upload: .object(upload)
        case .deleted:
            .object([.init("deleted", .flag), .optional("id", .text, "The upload that brought the picture.")])
        case .signInStart:
            .object([
                .init("url", .text, "The page to sign in at."), .init("expiresAt", .time), .init("startedAt", .time),
                .optional("callback", .text, "The callback address that the application must register."),
                .init("renewable", .flag),
            ])
        case .signedIn:
            .object([
                .init("signedIn", .flag), .init("provider"), .optional("account"), .init("expiresAt", .time),
            ])
        case .signedOut: .object([.init("signedIn", .flag), .init("wasSignedIn", .flag)])
        case .mcpAnswer:
            .object([
                .init("jsonrpc", .word("2.0")), .init("id", .any, "That of the request."),
                .optional("result", .open([])),
                .optional("error", .object([.init("code", .integer), .init("message")])),
            ])
        case .consoleLink: .object([.init("url")])
        case .consoleToken: .object([.init("token")])
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
        default: watched(component)
        }
    }

    /// The schema of a component about requests, entries or figures.
    private static func watched(_ component: InterfaceComponent) -> InterfaceSchema {
        switch component {
        case .suspended: .object([.init("suspended", .text, "The provider's name."), .init("until", .time)])
        case .requests:
            .object([
                .init("capacity", .integer, "The most requests that are remembered."), .init("redacted", .flag),
                .init("requests", .list(.component(.request))),
            ])
        case .requestEvent:
            .object([
                .init("dropped", .integer, "Requests left out since the stream began."),
                .init("redacted", .flag), .init("requests", .list(.component(.request))),
            ])
        case .request: .object(request)
        case .history: .object(history)
        case .entries:
            .object([
                .init("redacted", .flag), .optional("complete", .flag, "False if not all entries were examined."),
                .optional("next", .text, "If not all were examined: the parameter after that continues."),
                .init("entries", .list(.component(.entry))),
            ])
        case .fleet: .object(fleet)
        case .entry: .object(entry)
        case .entryDetail:
            .object(
                entry + [
                    .init("fields", .list(.list(.text)), "Name and value of each stored field."),
                    .init("preview", .map(.any), "The body's type, and the beginning of a text."),
                    .init("parents", .list(.component(.entry))), .init("children", .list(.component(.entry))),
                    .init("variants", .list(.component(.entry))),
                ])
        default: .any
        }
    }

    private static let status: [InterfaceSchema.Member] = [
        .init("version"), .init("commit", .text, "The commit of the build, or unknown."),
        .init("libraries", .map(.text), "The versions of the libraries in use."), .init("startedAt", .time),
        .init("uptimeSeconds", .integer),
        .init("providers", .list(.component(.providerStatus))),
        .init(
            "store",
            .object([
                .init("entries", .integer), .init("liveBytes", .integer), .init("fileBytes", .integer),
                .init("walBytes", .integer), .init("maxBytes", .integer),
                .optional("degraded", .text, "Why nothing can be stored."), .init("pendingRemovals", .integer),
                .optional("setAside", .text, "When and why the database was last set aside in this run."),
                .init("byProvider", .map(.object([.init("entries", .integer), .init("bytes", .integer)]))),
            ])),
        .init("state", .object([.optional("degraded", .text, "Why calls cannot be recorded.")])),
        .init(
            "memory",
            .object([.init("entries", .integer), .init("bytes", .integer), .init("maxBytes", .integer)])),
        .init(
            "proxy",
            .object([
                .init("tunnels", .integer, "Tunnels open now."),
                .init("tunnelBytes", .integer, "Bytes that passed through tunnels in both directions."),
                .init("refused", .integer, "Requests that a rule of the proxy or its password refused."),
                .init(
                    "runs",
                    .list(
                        .object([
                            .init("process", .integer), .init("since", .time, "Its first request."),
                            .init("requests", .integer), .init("hits", .integer),
                        ])), "The runs of larder run that are under way and have asked something."),
            ])),
        .optional("shared", .object(shared), "The shared tier; absent if nothing is shared."),
    ]

    private static let fleet: [InterfaceSchema.Member] = [
        .init("shared", .flag, "False if nothing is shared."), .optional("url", .text, "The URL, without a password."),
        .optional("prefix"), .optional("reached", .flag, "Whether the engine answers."),
        .init(
            "hosts",
            .list(
                .object([
                    .init("id"), .init("name"), .init("self", .flag), .init("version"), .optional("startedAt", .time),
                    .init("silentSeconds", .integer, "Seconds since its last sign of life."), .init("alive", .flag),
                    .optional("place", .text, "How far it has carried out the removals by other hosts."),
                    .init("calls", .map(.integer), "Calls left in its leases, by provider."),
                ]))),
        .init("generations", .map(.text), "By provider, and for all (*). The value changes with each removal."),
    ]

    private static let shared: [InterfaceSchema.Member] = [
        .init("url", .text, "The URL, without a password."), .init("connected", .flag),
        .init("following", .flag, "Whether it receives the removals by other hosts."),
        .init("breaker", .words(["closed", "open", "probing"])), .optional("openSince", .time),
        .optional("lastFailure", .text, "The class of the last failure."),
        .init("removalWaiting", .flag, "A removal has not been sent to the engine yet."), .init("hits", .integer),
        .init("misses", .integer), .init("published", .integer, "Answers that this host has stored there."),
    ]

    private static let providerStatus: [InterfaceSchema.Member] = [
        .init("name"), .init("title"), .init("kind", .words(ProviderKind.words)),
        .init("state", .words(["off", "notConfigured", "noToken", "suspended", "probing", "budgetSpent", "ready"])),
        .init("baseURLs", .list(.text), "Where the API is asked."),
        .optional("configurationProblem", .text, "What is wrong with its key or its token."),
        .optional("missing", .text, "Which setting it needs before it can be called."),
        .optional("minimumTerm", .integer, "The least number of characters of a term."),
        .init("reachability"), .optional("reachable", .flag), .optional("lastSuccess", .time),
        .optional("lastFailure", .time),
        .optional("lastFailureClass", .words(FailureClass.allCases.map(\.rawValue))), .optional("lastFailureDetail"),
        .optional("suspendedUntil", .time), .optional("suspensionReason"),
        .init("budget", .map(.any), "rate and quota as Limit, and the credits that the API reports."),
        .init(
            "tools",
            .list(
                .object([
                    .init("tool", .text, "A name of the setting tools, other, or larder for Larder's own calls."),
                    .init("calls", .integer, "Calls sent since the start."),
                    .init("refused", .integer, "Calls that the budget refused, since the start."),
                    .optional("rate", .integer, "Its calls in the window of the rate, made by this run."),
                    .optional("quota", .integer, "Its calls in the window of the quota, made by this run."),
                ])), "The calls by tool. Tools without any are left out."),
        .init("answers", .map(.integer), "The number of answers by outcome, since the start."),
        .init("totals", .map(.integer), "The same, over all runs."), .optional("attribution"),
        .init(
            "recent",
            .list(
                .object([
                    .init("at", .time),
                    .init("event", .words(["reachable", "unreachable", "suspended", "resumed", "budget"])),
                    .init("detail"),
                ])), "Its recent changes, newest first."),
    ]

    private static let request: [InterfaceSchema.Member] = [
        .init("id"), .init("at", .time), .init("method"),
        .init("target", .text, "Without authority, it has no parameter values."),
        .init("route"), .init("status", .integer), .optional("bytes", .integer), .optional("milliseconds", .number),
        .optional("client"), .optional("provider"), .optional("providers", .list(.text)),
        .init("outcome", .words(CacheOutcome.allCases.map(\.rawValue))),
        .optional("tier", .words(["memory", "database"])),
        .optional("rule"), .init("sentence"),
    ]

    private static let history: [InterfaceSchema.Member] = [
        .init("span", .words(TrafficHistory.Span.allCases.map(\.rawValue))), .init("stepSeconds", .integer),
        .init("from", .time),
        .init("to", .time),
        .init(
            "points",
            .list(
                .object([
                    .init("at", .time), .optional("open", .flag, "The slot has not ended."),
                    .init(
                        "requests", .map(.integer),
                        "By outcome, and failed: no usable answer, answered with 500 or above."),
                    .init("upstream", .map(.integer), "By provider."),
                    .init("errors", .integer), .init("bytes", .integer), .optional("p50", .number),
                    .optional("p90", .number),
                    .optional("p99", .number, "Milliseconds."),
                ]))),
        .init("saved", .map(.integer), "Calls saved over all runs, by provider."),
        .init(
            "budgets",
            .list(.object([.init("provider"), .init("calls", .integer), .init("windowSeconds", .integer)])),
            "The configured limits."),
    ]

    private static let entry: [InterfaceSchema.Member] = [
        .optional("key", .text, "Only with authority."), .init("provider"), .init("kind"), .init("label"),
        .init("status", .integer), .init("bytes", .integer), .optional("uses", .integer), .init("receivedAt", .time),
        .init("freshUntil", .time), .init("staleUntil", .time), .init("lastUsedAt", .time),
    ]

    private static let explanation: [InterfaceSchema.Member] = [
        .init("requestId"),
        .init("redacted", .flag, "Whether values of the question are left out, because the request has no authority."),
        .init("at", .time), .init("method"), .init("path"), .init("route"), .init("status", .integer),
        .optional("trace", .text, "The trace id of the request's traceparent."),
        .optional("milliseconds", .number, "Time from the request to its answer."), .optional("client"),
        .optional(
            "problem",
            .object([
                .init("code"), .init("detail"), .optional("parameter"), .optional("allowed", .list(.text)),
            ])),
        .optional("timeline", .list(.object(span)), "The duration of the stages, in the order in which they began."),
        .optional("timelineLeftOut", .integer, "Stages left out, because at most \(Timeline.limit) are kept."),
        .init("sources", .list(.component(.explainedSource))),
    ]

    private static let span: [InterfaceSchema.Member] = [
        .init("stage", .words(Timeline.Stage.allCases.map(\.rawValue))), .optional("provider"),
        .init("startMilliseconds", .number, "Time from the beginning of the request."), .init("milliseconds", .number),
    ]

    private static let explainedSource: [InterfaceSchema.Member] = [
        .init("provider"), .init("outcome", .words(CacheOutcome.allCases.map(\.rawValue))),
        .init("explanation", .list(.text), "What happened, in sentences."),
        .init("key", .map(.text), "The parts of the entry's key."), .optional("forward"),
        .optional("upstreamStatus", .integer), .optional("rule", .component(.rule)),
        .optional("storing", .component(.rule)),
        .optional("further", .list(.component(.rule)), "Further decisions, each with its rule."),
        .optional("stored", .flag),
        .optional("partial", .flag, "The body was read from stored parts."),
        .optional("asked", .text, "The range requested from the upstream."), .optional("commit"),
        .optional("receivedAt", .time), .optional("age", .integer), .optional("freshUntil", .time),
        .optional("ttl", .integer), .optional("staleUntil", .time),
        .optional("deprecatedAt", .time, "When the upstream deprecates it (RFC 9745)."),
        .optional("sunsetAt", .time, "When the upstream will remove it (RFC 8594)."), .optional("class"),
        .optional("detail"),
        .optional(
            "limiter",
            .object([
                .optional("rateRemaining", .integer), .optional("quotaRemaining", .integer),
                .optional("resetsAt", .time),
                .optional("credits", .list(.object(credit)), "The calls that the API itself reports as left."),
                .init("suspended", .flag), .optional("suspendedUntil", .time), .init("reachability"),
            ])),
    ]

    private static let credit: [InterfaceSchema.Member] = [
        .init("name"), .optional("limit", .integer), .init("remaining", .integer), .init("resetsAt", .time),
    ]

    private static let upload: [InterfaceSchema.Member] = [
        .init("id"), .init("state", .words(UploadMachine.State.allCases.map(\.rawValue))),
        .init("sent", .integer, "Bytes that were sent."), .optional("total", .integer, "Bytes to be sent."),
        .init("allSent", .flag), .init("createdAt", .time), .optional("endedAt", .time),
        .optional("image", .map(.any), "The API's record of the picture."),
        .optional("error", .object([.init("code"), .optional("class"), .optional("detail")])),
        .optional("mayExist", .flag, "The file may have arrived, although the answer was lost."), .init("self"),
        .init("content", .text, "The path to which to send the file."),
        .init("events", .text, "The path of its events."),
    ]

    private static let account: [InterfaceSchema.Member] = [
        .init("provider"), .init("signedIn", .flag), .optional("account"), .optional("signedInAt", .time),
        .optional("expiresAt", .time), .optional("renewsAt", .time), .optional("renewable", .flag),
        .optional("reason", .text, "Why nobody is signed in."),
        .init("pending", .integer, "The number of sign-ins that have begun and not ended."),
        .optional("lastFailure", .object([.init("at", .time), .init("detail")])),
    ]

    private static let purge: [InterfaceSchema.Member] = [
        .optional("purged", .integer, "The number of entries."), .optional("soft", .flag),
        .optional("pending", .flag, "The purge is in effect, but not yet written to the disk."),
        .optional("survivesRestart", .flag),
        .optional("reason", .text, "Why nothing was purged, why it is pending, or what stays."),
        .optional("layer", .text, "\"memory\" if only memory was emptied."),
        .optional("told", .flag, "In a fleet: whether it was sent to the engine."),
        .optional("unconfirmed", .list(.text), "Hosts of the fleet that have not carried it out. Absent if unknown."),
    ]
}
