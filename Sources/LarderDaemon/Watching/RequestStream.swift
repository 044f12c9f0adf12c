// One reader of requests as they happen: what was answered since the last look is read, filtered, and told as one event.
import LarderCore
import LarderEngine
import LarderIO

/// One reader's stream of requests. It looks again for as long as its reader is there.
final class RequestStream: Sendable {
    /// At most so often something is told.
    static let pause = Duration.milliseconds(200)
    /// Requests in one event; of more the newest are told, and the others count as dropped.
    private static let most = 200
    /// A reader that has not had so many events is not told more until it has: what is overwritten meanwhile is counted.
    private static let patience = 2

    private struct State {
        var cursor: RequestCursor?
        var dropped = 0
    }

    let watch: RequestWatch
    let filter: RequestFilter
    let viewer: RequestViewer
    let feed: EventFeed
    private let place: RequestStreamPlaces.Place
    private let state = Lock(State())

    init(
        watch: RequestWatch, filter: RequestFilter, viewer: RequestViewer, feed: EventFeed,
        place: RequestStreamPlaces.Place
    ) {
        self.watch = watch
        self.filter = filter
        self.viewer = viewer
        self.feed = feed
        self.place = place
    }

    /// The first event, which is told also where there is nothing in it: so many earlier requests.
    func begin(last: Int) async {
        let seen = await watch.latest()
        state.withLock { $0.cursor = seen.cursor }
        let wanted = seen.requests.filter { filter.takes($0, target: viewer.target($0)) }.suffix(last)
        post(Array(wanted), dropped: 0)
    }

    /// Looks again on the loop's timers. The timer holds the stream, and the last look drops it.
    func goOn(on loop: EventLoop) {
        loop.post {
            _ = loop.schedule(at: loop.monotonic + Self.pause) {
                guard self.feed.hasReaders else { return }
                Task {
                    await self.look()
                    self.goOn(on: loop)
                }
            }
        }
    }

    private func look() async {
        guard feed.backlog < Self.patience, let cursor = state.withLock({ $0.cursor }) else { return }
        let seen = await watch.since(cursor)
        let wanted = seen.requests.filter { filter.takes($0, target: viewer.target($0)) }
        let missed = seen.dropped + max(0, wanted.count - Self.most)
        let dropped = state.withLock { state in
            state.cursor = seen.cursor
            state.dropped += missed
            return state.dropped
        }
        // What was dropped is told also where the filter took nothing of the rest.
        if !wanted.isEmpty || missed > 0 { post(Array(wanted.suffix(Self.most)), dropped: dropped) }
    }

    private func post(_ requests: [SeenRequest], dropped: Int) {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.member("dropped", dropped)
            writer.member("redacted", viewer.isRedacted)
            writer.name("requests")
            writer.array { writer in
                for request in requests { request.write(to: &writer, for: viewer, target: viewer.target(request)) }
            }
        }
        feed.post("requests", writer.bytes)
    }
}
