import LarderCore
import Testing

@Suite struct HistogramTests {
    private let family = MetricFamily(
        "larder_wait_seconds", .histogram, help: "A \"wait\".\nOr more.", labels: ["provider", "outcome"])

    @Test func aDurationCountsInTheFirstBucketThatHoldsIt() {
        let cell = HistogramCell()
        cell.observe(.microseconds(100))
        cell.observe(.microseconds(101))
        #expect(cell.current.cumulative[0] == 1)
        #expect(cell.current.cumulative[1] == 2)
    }

    @Test func whatIsLongerThanEveryBoundCountsInTheLastBucketOnly() {
        let cell = HistogramCell()
        cell.observe(.seconds(31))
        #expect(cell.current.cumulative.dropLast().allSatisfy { $0 == 0 } && cell.current.cumulative.last == 1)
    }

    @Test func aClockThatWasSetBackTakesNothingAway() {
        let cell = HistogramCell()
        cell.observe(.milliseconds(-5))
        #expect(cell.current.sum == 0 && cell.current.cumulative.last == 1)
    }

    @Test func aDurationBeyondAllCountingIsStillOne() {
        let cell = HistogramCell()
        cell.observe(Duration(secondsComponent: .max, attosecondsComponent: 0))
        #expect(cell.current.cumulative.last == 1 && cell.current.sum > 0)
    }

    @Test func boundsRiseAndTheirTextsAreTheirSeconds() {
        for (lower, upper) in zip(HistogramCell.bounds, HistogramCell.bounds.dropFirst()) {
            #expect(lower.microseconds < upper.microseconds)
        }
        for bound in HistogramCell.bounds {
            #expect(Double(bound.seconds).map { Int64(($0 * 1e6).rounded()) } == bound.microseconds)
        }
    }

    @Test func prometheusReadsCumulativeBucketsWithTheirSumAndCount() {
        let registry = CounterRegistry()
        registry.histogram(family, "api", "miss").observe(.milliseconds(2))
        registry.histogram(family, "api", "miss").observe(.seconds(60))
        let lines = PrometheusText(registry).text.split(separator: "\n").map(String.init)
        #expect(lines[1] == "# TYPE larder_wait_seconds histogram")
        #expect(lines.contains(#"larder_wait_seconds_bucket{provider="api",outcome="miss",le="0.001"} 0"#))
        #expect(lines.contains(#"larder_wait_seconds_bucket{provider="api",outcome="miss",le="0.0025"} 1"#))
        #expect(lines.contains(#"larder_wait_seconds_bucket{provider="api",outcome="miss",le="+Inf"} 2"#))
        #expect(lines.contains(#"larder_wait_seconds_sum{provider="api",outcome="miss"} 60.002"#))
        #expect(lines.last == #"larder_wait_seconds_count{provider="api",outcome="miss"} 2"#)
    }

    @Test func aLineFeedAndAQuoteBreakNoLine() {
        let registry = CounterRegistry()
        registry.cell(MetricFamily("larder_odd_total", help: "A\nB \\.", labels: ["word"]), "say \"hi\"\r\n").add()
        #expect(
            PrometheusText(registry).text == """
                # HELP larder_odd_total A\\nB \\\\.
                # TYPE larder_odd_total counter
                larder_odd_total{word="say \\"hi\\"\r\\n"} 1

                """)
    }
}
