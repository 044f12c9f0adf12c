// The engine's counters. Labels are names from the configuration or words of fixed sets, never text of a request.
import LarderCore

/// The families of the engine's counters. The help text of each says what it counts.
public enum EngineCounters {
    /// Answers by provider and outcome.
    public static let outcomes = MetricFamily(
        "larder_cache_total", help: "Answers of a provider's data by how they came to be.",
        labels: ["provider", "outcome"])
    /// Calls sent, by provider and result.
    public static let upstreamCalls = MetricFamily(
        "larder_upstream_calls_total", help: "Calls sent to a provider, by what came of them.",
        labels: ["provider", "class"])
    static let unsentCalls = MetricFamily(
        "larder_upstream_unsent_total",
        help: "Calls that ended before they were sent: overloaded (no place in time, or state.db cannot be "
            + "written), unreachable (no connection), cancelled (nobody waited any more) or another failure.",
        labels: ["provider", "class"])
    static let budgetRefusals = MetricFamily(
        "larder_budget_refusals_total", help: "Calls not sent because the provider's budget was spent.",
        labels: ["provider"])
    static let reservedAhead = MetricFamily(
        "larder_calls_reserved_ahead_total",
        help: "Calls that were written down before anybody needed them: used, or returned unsent.",
        labels: ["provider", "fate"])
    static let suspensions = MetricFamily(
        "larder_suspensions_total", help: "Times a provider was suspended after failures.", labels: ["provider"])
    static let dropped = MetricFamily(
        "larder_results_dropped_total", help: "Results of an answer that could not be normalised.", labels: ["provider"]
    )
    static let parts = MetricFamily(
        "larder_parts_total",
        help: "Parts of answers that take several calls: data, absent, failed, or refused as more than one may take.",
        labels: ["provider", "result"])
    static let partsUnderWay = MetricFamily(
        "larder_parts_under_way", .gauge, help: "Parts of answers being looked up or fetched now.")
    static let poolDraws = MetricFamily(
        "larder_pool_draws_total", help: "Answers dealt out of a provider's pool of random ones.", labels: ["provider"])
    static let poolRefills = MetricFamily(
        "larder_pool_refills_total", help: "Times a pool was filled or filled up.", labels: ["provider"])
    static let poolAdditions = MetricFamily(
        "larder_pool_additions_total", help: "Answers that came into a pool new.", labels: ["provider"])
    static let localAnswers = MetricFamily(
        "larder_local_answers_total",
        help: "Full-text searches of stored results, asked for or in place of a source that was down, by result.",
        labels: ["use", "result"])
    static let wider = MetricFamily(
        "larder_wider_answers_total",
        help: "Answers read out of the stored answer of a wider question, without a call.",
        labels: ["provider"])
    static let searchVariance = MetricFamily(
        "larder_no_vary_search_total",
        help:
            "No-Vary-Search: requests answered by the answer to another query, answers dropped from the bounded table "
            + "of those, and answers stored whose field was refused for its length.",
        labels: ["provider", "result"])
    static let storedParts = MetricFamily(
        "larder_stored_parts_total",
        help:
            "Parts of bodies: stored, or dropped when newer parts of the same representation needed the room or held the same bytes.",
        labels: ["provider", "fate"])
    static let joined = MetricFamily(
        "larder_joined_total", help: "Askers that waited for a fetch another had begun.")
    static let flightsRefused = MetricFamily(
        "larder_flights_refused_total", help: "Askers turned away because too many fetches or waiters were under way.")
    static let flightsAbandoned = MetricFamily(
        "larder_flights_abandoned_total", help: "Fetches cancelled because the last client that waited had left.")
    static let flightsUnderWay = MetricFamily(
        "larder_flights_under_way", .gauge, help: "Fetches under way now.")
    static let tokenRenewals = MetricFamily(
        "larder_token_renewals_total", help: "Renewals of a sign-in: done, refused, or failed with the tokens kept.",
        labels: ["provider", "result"])
    static let signIns = MetricFamily(
        "larder_sign_ins_total", help: "Sign-ins that came back: done, failed, or with an unknown state.",
        labels: ["provider", "result"])
}
