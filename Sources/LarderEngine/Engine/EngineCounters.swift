// The engine's counters. Labels are names from the configuration or words of fixed sets, never text of a request.
import LarderCore

/// The families of the engine's counters. The help text of each says what it counts.
public enum EngineCounters {
    /// Answers by provider and outcome.
    public static let outcomes = MetricFamily(
        "larder_cache_total", help: "Answers with a provider's data, by outcome (hit, miss and the like).",
        labels: ["provider", "outcome"])
    /// Calls sent, by provider and result.
    public static let upstreamCalls = MetricFamily(
        "larder_upstream_calls_total", help: "Calls sent to a provider, by result.",
        labels: ["provider", "class"])
    static let unsentCalls = MetricFamily(
        "larder_upstream_unsent_total",
        help: "Calls that ended before they were sent: overloaded (no place in time, or state.db cannot be "
            + "written), unreachable (no connection), cancelled (no client waited any more) or another failure.",
        labels: ["provider", "class"])
    static let returnTrials = MetricFamily(
        "larder_return_trials_total",
        help: "Trials of a provider that could not be reached, while a client listens. The budget may refuse one.",
        labels: ["provider"])
    static let budgetRefusals = MetricFamily(
        "larder_budget_refusals_total",
        help: "Calls not sent because the provider's budget was spent, or what was left was kept for others.",
        labels: ["provider"])
    /// Calls sent, by provider and tool.
    public static let toolCalls = MetricFamily(
        "larder_tool_calls_total",
        help: "Calls sent to a provider, by the tool for which they began: one of the setting tools, other, or larder "
            + "for Larder's own.",
        labels: ["provider", "tool"])
    /// Calls refused by the budget, by provider and tool.
    public static let toolRefusals = MetricFamily(
        "larder_tool_refusals_total",
        help: "Calls not sent because of the provider's budget, by the tool for which they were.",
        labels: ["provider", "tool"])
    static let reservedAhead = MetricFamily(
        "larder_calls_reserved_ahead_total",
        help: "Calls that were counted in advance, before a fetch needed them: used, or returned unsent.",
        labels: ["provider", "fate"])
    static let suspensions = MetricFamily(
        "larder_suspensions_total", help: "Times a provider was suspended after failures.", labels: ["provider"])
    static let trials = MetricFamily(
        "larder_trials_total",
        help: "Questions that succeeded before, asked again to find out whether a provider or other questions failed.",
        labels: ["provider"])
    static let callerRests = MetricFamily(
        "larder_caller_rests_total",
        help: "Pauses that an API asked of callers with certain credentials: begun, calls refused meanwhile, and "
            + "pauses dropped from the bounded table.",
        labels: ["provider", "event"])
    static let dropped = MetricFamily(
        "larder_results_dropped_total", help: "Results left out of an answer because they could not be normalised.",
        labels: ["provider"]
    )
    static let parts = MetricFamily(
        "larder_parts_total",
        help: "Parts of answers that take several calls: data, absent, failed, or refused (too many parts).",
        labels: ["provider", "result"])
    static let partsUnderWay = MetricFamily(
        "larder_parts_under_way", .gauge, help: "Parts of answers being looked up or fetched now.")
    static let poolDraws = MetricFamily(
        "larder_pool_draws_total", help: "Random answers taken from a provider's pool.", labels: ["provider"])
    static let poolRefills = MetricFamily(
        "larder_pool_refills_total", help: "Times that a provider's pool of random answers was filled or refilled.",
        labels: ["provider"])
    static let poolAdditions = MetricFamily(
        "larder_pool_additions_total", help: "New answers added to a provider's pool of random answers.",
        labels: ["provider"])
    static let localAnswers = MetricFamily(
        "larder_local_answers_total",
        help: "Full-text searches of stored results, requested or in place of a source that was down, by result.",
        labels: ["use", "result"])
    static let wider = MetricFamily(
        "larder_wider_answers_total",
        help: "Answers taken without a call from the stored answer to a wider question.",
        labels: ["provider"])
    static let searchVariance = MetricFamily(
        "larder_no_vary_search_total",
        help:
            "No-Vary-Search: requests answered with the answer to an equivalent query, answers dropped from the "
            + "bounded table of such answers, and stored answers whose field was ignored because it was too long.",
        labels: ["provider", "result"])
    static let storedParts = MetricFamily(
        "larder_stored_parts_total",
        help:
            "Parts of bodies: stored, or dropped because newer parts of the same representation needed the room or "
            + "held the same bytes.",
        labels: ["provider", "fate"])
    static let joined = MetricFamily(
        "larder_joined_total", help: "Requests that joined a fetch that another request had begun.")
    static let flightsRefused = MetricFamily(
        "larder_flights_refused_total",
        help: "Requests refused because too many fetches were running or too many requests waited.")
    static let flightsAbandoned = MetricFamily(
        "larder_flights_abandoned_total", help: "Fetches cancelled because the last waiting client had left.")
    static let flightsUnderWay = MetricFamily(
        "larder_flights_under_way", .gauge, help: "Fetches under way now.")
    static let tokenRenewals = MetricFamily(
        "larder_token_renewals_total",
        help: "Renewals of a sign-in, and requests for a token (keyIn: oauth2): done, refused, or failed.",
        labels: ["provider", "result"])
    static let signIns = MetricFamily(
        "larder_sign_ins_total", help: "Sign-ins that returned to Larder: done, failed, or with an unknown state.",
        labels: ["provider", "result"])
}
