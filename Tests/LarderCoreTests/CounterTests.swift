import LarderCore
import Testing

@Suite struct CounterTests {
    private let family = MetricFamily("larder_things_total", help: "Things.", labels: ["kind"])

    @Test func oneCellForOneSetOfLabels() {
        let registry = CounterRegistry()
        registry.cell(family, "a").add()
        registry.cell(family, "a").add(2)
        registry.cell(family, "b").add()
        #expect(registry.cell(family, "a").current == 3)
        #expect(registry.snapshot().map(\.value) == [3, 1])
    }

    @Test func prometheusTextSaysHelpAndTypeOnceAFamily() {
        let registry = CounterRegistry()
        registry.cell(family, "a").add()
        registry.gauge(MetricFamily("larder_level", .gauge, help: "Level.")) { 2.5 }
        registry.cell(family, "b").add(2)
        #expect(
            PrometheusText(registry).text == """
                # HELP larder_things_total Things.
                # TYPE larder_things_total counter
                larder_things_total{kind="a"} 1
                larder_things_total{kind="b"} 2
                # HELP larder_level Level.
                # TYPE larder_level gauge
                larder_level 2.5

                """)
    }

    @Test func valuesOfSecretNamesAreHiddenInTheLog() {
        let sink = Kept()
        let log = Logger(label: "t", sink: sink)
        log.info("m", ["admin.token": "abc", "api_key": "abc", "provider": "x"])
        log.debug("below the threshold")
        let lines = sink.lines.withLock { $0 }
        #expect(lines.count == 1)
        #expect(lines[0].values.map(\.value) == ["(hidden)", "(hidden)", "x"])
    }

    private final class Kept: LogSink {
        let lines = Lock<[LogLine]>([])
        func write(_ line: LogLine) { lines.withLock { $0.append(line) } }
    }
}
