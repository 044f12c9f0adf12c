// A search on a terminal: begun without waiting (RFC 7240), followed event by event, and cancelled in the daemon when the
// person presses Ctrl-C. What is shown at the end is the same envelope that a waiting client gets.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

/// One search of one command.
final class FollowedSearch: Sendable {
    private let conversation: Conversation
    private let console: Console
    /// The path of the search that is under way.
    private let path = Lock<String?>(nil)
    private let isInterrupted = Lock(false)

    /// Where the process left its signals to us, they end it from now on, and with it what is under way.
    init(_ conversation: Conversation, _ console: Console) {
        self.conversation = conversation
        self.console = console
        guard Interruption.isPrepared else { return }
        let (path, isInterrupted) = (path, isInterrupted)
        _ = Interruption {
            isInterrupted.withLock { $0 = true }
            if console.rewrites { _ = console.write(Bytes(text: SearchProgress.erase)) }
            guard let under = path.withLock({ $0 }) else { return }
            // The person does not wait for a daemon that does not answer.
            let quick = Conversation(conversation, timeout: .seconds(2))
            _ = try? quick.ask(DaemonRequest(.delete, under))
        }
    }

    /// Nothing is under way any more.
    func end() { path.withLock { $0 = nil } }

    /// What a search came to.
    struct Outcome {
        var value: JSONValue
        var response: DaemonResponse
        /// The sources that had not answered when the time was over. Empty where the search came to its own end.
        var late: [String] = []
        /// The time was over before the search was: this is what had come by then.
        var isLate: Bool { !late.isEmpty }

        init(_ answer: (value: JSONValue, response: DaemonResponse), late: [String] = []) {
            (value, response) = answer
            self.late = late
        }
    }

    /// Asks, shows the sources as they come unless it is to be quiet, and gives the whole, or what has come within the
    /// conversation's time.
    func answer(to request: DaemonRequest, isQuiet: Bool = false) throws(CommandFailure) -> Outcome {
        let deadline = SystemTime().monotonic() + conversation.timeout
        var begin = request
        begin.fields.add("Prefer", "respond-async")
        let response = try conversation.ask(begin)
        // All of it was at hand, or the daemon has no room for a search that goes on by itself.
        guard response.status == 202, let location = response.fields.first("Location") else {
            return Outcome(try conversation.json(request, response.status == 503 ? nil : response))
        }
        path.withLock { $0 = location }
        var hasEnded = false
        do throws(CommandFailure) {
            hasEnded = try follow(location, until: deadline, isQuiet: isQuiet)
            // What is seen now is our own cancelling, and the signal's thread ends the process in a moment.
            while isInterrupted.withLock({ $0 }) { pause() }
            guard hasEnded else { return Outcome(try conversation.json(request, nil)) }
            let (value, last) = try conversation.json(DaemonRequest(.get, location), nil)
            switch value["state"]?.string {
            case "failed": throw Problem(value["problem"], status: 502).asFailure
            case "cancelled": throw CommandFailure(.failed, "the search was cancelled")
            default: return Outcome((value, last))
            }
        } catch {
            defer { if !hasEnded { cancelUnfinished() } }
            guard error.isLate, !hasEnded else { throw error }
            return try whatHasCome(location)
        }
    }

    /// The search as it stands when its time is over.
    /// - Throws: where no source has answered: then there is nothing to show.
    private func whatHasCome(_ location: String) throws(CommandFailure) -> Outcome {
        // Asked for while it still goes on, and with a little time of its own.
        let quick = Conversation(conversation, timeout: .seconds(2))
        var found = try quick.json(DaemonRequest(.get, location), nil)
        let waiting = SearchAnswer(found.value).waiting
        guard waiting.count < SearchAnswer(found.value).sources.count || waiting.isEmpty else {
            let limit = Units.format(duration: conversation.timeout)
            throw CommandFailure(
                .unreachable, "no source answered within \(limit); waited for \(waiting.joined(separator: ", "))")
        }
        // It ended while it was asked for.
        guard found.value["state"]?.string == "loading" else { return Outcome(found) }
        found.response.body = UnfinishedSearch.ended(found.value, after: conversation.timeout)
        return Outcome(try conversation.json(DaemonRequest(.get, location), found.response), late: waiting)
    }

    /// Shows the sources until the search has ended.
    /// - Returns: whether its end was seen; false where the daemon streams no events to us.
    private func follow(
        _ location: String, until deadline: MonotonicTime, isQuiet: Bool
    ) throws(CommandFailure) -> Bool {
        let show = { (text: String) in if !isQuiet { self.show(text) } }
        var progress = SearchProgress()
        var hasEnded = false
        defer { show(progress.cleared(rewrites: console.rewrites)) }
        let answer = try conversation.events("\(location)/events", until: deadline) { event throws(CommandFailure) in
            guard let value = try? JSON.parse(event.data) else {
                throw CommandFailure(.broken, "an event of the daemon's is not JSON")
            }
            if event.name == "source" {
                show(progress.arrived(value, width: console.width, rewrites: console.rewrites))
            } else if event.name == "state" {
                hasEnded = value["state"]?.string != "loading"
                show(progress.began(value, width: console.width, rewrites: console.rewrites))
            }
            return !hasEnded
        }
        guard answer.status == 200 || hasEnded else { return false }
        guard hasEnded else { throw CommandFailure(.noDaemon, "the daemon ended before the search did") }
        return true
    }

    private func show(_ text: String) {
        if !text.isEmpty { _ = console.write(Bytes(text: text)) }
    }

    /// Whoever gives up does not leave a search behind. The clock is not asked: a socket's time-out may come a little
    /// before the deadline that it was set for.
    private func cancelUnfinished() {
        guard let under = path.withLock({ $0 }) else { return }
        _ = try? Conversation(conversation, timeout: .seconds(2)).ask(DaemonRequest(.delete, under))
    }
}

/// What is shown of a search while it goes on. Pure: events in, text out. On a terminal that can, one line that is written
/// over, each time with one write, so that nothing flickers; else one line for each source.
struct SearchProgress {
    /// Back to the line's beginning, and nothing right of it (ECMA-48 §8.3.41, EL).
    static let erase = "\r\u{1B}[K"

    private var waiting: [String] = []
    private var come: [String] = []
    private var isShown = false

    /// The search has begun: its sources are known.
    mutating func began(_ state: JSONValue, width: Int, rewrites: Bool) -> String {
        guard state["state"]?.string == "loading", let sources = state["sources"] else { return "" }
        waiting = sources.elements.filter { $0["state"]?.string == "loading" }
            .map { Console.printable($0["provider"]?.string ?? "") }
        return rewrites ? line(width) : ""
    }

    /// One source has answered.
    mutating func arrived(_ source: JSONValue, width: Int, rewrites: Bool) -> String {
        let name = Console.printable(source["provider"]?.string ?? "")
        waiting.removeAll { $0 == name }
        let text =
            switch source["state"]?.string {
            case "failed": "\(name) \(Console.printable(source["error"]?["class"]?.string ?? "failed"))"
            default: "\(name) \(source["count"]?.integer ?? 0)"
            }
        come.append(text)
        return rewrites ? line(width) : text + "\n"
    }

    /// Makes room for what comes below.
    mutating func cleared(rewrites: Bool) -> String {
        defer { isShown = false }
        return rewrites && isShown ? Self.erase : ""
    }

    private mutating func line(_ width: Int) -> String {
        isShown = true
        var parts = come
        if !waiting.isEmpty { parts.append("waiting for " + waiting.joined(separator: ", ")) }
        // One column less: some terminals begin a new line after the last.
        return "\r" + DisplayWidth.cut(parts.joined(separator: " · "), to: max(1, width - 1)) + "\u{1B}[K"
    }
}
