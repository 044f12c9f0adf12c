// One reader of requests as they happen. Each look reads the requests since the last one and posts one event.
import LarderCore
import LarderEngine
import LarderIO

/// One reader's stream of requests. It runs as long as it has a reader.
final class RequestStream: Sendable {
    /// The time between two looks, and the shortest time between two events.
    static let pause = Duration.milliseconds(200)
    /// The most requests in one event. If there are more, the newest are sent, and the others count as dropped.
    private static let most = 200
    /// A reader with this many unread events gets no more for now. Records overwritten meanwhile count as dropped.
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

    /// Posts the first event: up to `last` earlier requests. It is sent even if it is empty.
    func begin(last: Int) async {
        let seen = await watch.latest()
        state.withLock { $0.cursor = seen.cursor }
        let wanted = seen.requests.filter { filter.takes($0, target: viewer.target($0)) }.suffix(last)
        post(Array(wanted), dropped: 0)
    }

    /// Schedules the next look on the loop's timer. The timer holds the stream; without a reader it drops the stream.
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
        // Dropped requests are reported even if the filter accepts none of the others.
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
