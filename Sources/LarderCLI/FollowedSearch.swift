// A search on a terminal. It is started without waiting (RFC 7240), followed by its events, and cancelled in the daemon
// when the user presses Ctrl-C. The final output is made from the same envelope that a waiting client gets.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

/// The one search of a command.
final class FollowedSearch: Sendable {
    private let conversation: Conversation
    private let console: Console
    /// The same conversation with a short limit, because the user must not wait for a daemon that does not answer.
    private let quick: Conversation
    /// The path of the running search.
    private let path = Lock<String?>(nil)
    private let isInterrupted = Lock(false)

    /// If the process has blocked its signals, a signal now ends the process and cancels the running search.
    init(_ conversation: Conversation, _ console: Console) {
        self.conversation = conversation
        self.console = console
        quick = Conversation(conversation, timeout: conversation.shortLimit)
        guard Interruption.isPrepared else { return }
        let (path, isInterrupted, quick) = (path, isInterrupted, quick)
        _ = Interruption {
            isInterrupted.withLock { $0 = true }
            if console.rewrites { _ = console.write(Bytes(text: SearchProgress.erase)) }
            guard let under = path.withLock({ $0 }) else { return }
            _ = try? quick.ask(DaemonRequest(.delete, under))
        }
    }

    /// Marks that no search is running.
    func end() { path.withLock { $0 = nil } }

    /// The result of a search.
    struct Outcome {
        var value: JSONValue
        var response: DaemonResponse
        /// The sources that had not answered when the time was over. Empty if the search ended in time.
        var late: [String] = []
        /// Whether the time was over before the search ended. The outcome is then what had arrived.
        var isLate: Bool { !late.isEmpty }

        init(_ answer: (value: JSONValue, response: DaemonResponse), late: [String] = []) {
            (value, response) = answer
            self.late = late
        }
    }

    /// Sends the search and shows its sources as they answer, unless `isQuiet` is set. Returns the complete answer, or
    /// what arrived within the conversation's time limit.
    func answer(to request: DaemonRequest, isQuiet: Bool = false) throws(CommandFailure) -> Outcome {
        let deadline = SystemTime().monotonic() + conversation.timeout
        var begin = request
        begin.fields.add(.prefer, "respond-async")
        let response = try conversation.ask(begin)
        // A 200 means that everything was stored. A 503 means that the daemon has no room for another live search.
        guard response.status == 202, let location = response.fields.first(.location) else {
            return Outcome(try conversation.json(request, response.status == 503 ? nil : response))
        }
        path.withLock { $0 = location }
        var hasEnded = false
        do throws(CommandFailure) {
            hasEnded = try follow(location, until: deadline, isQuiet: isQuiet)
            // After an interruption, what arrives here is the result of our own cancellation. The signal thread is
            // about to end the process.
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
    /// - Throws: if no source has answered, because there is nothing to show.
    private func whatHasCome(_ location: String) throws(CommandFailure) -> Outcome {
        // The search is still running, and this request gets a short limit of its own.
        var found = try quick.json(DaemonRequest(.get, location), nil)
        let waiting = SearchAnswer(found.value).waiting
        guard waiting.count < SearchAnswer(found.value).sources.count || waiting.isEmpty else {
            let limit = Units.format(duration: conversation.timeout)
            throw CommandFailure(
                .unreachable, "no source answered within \(limit); waited for \(waiting.joined(separator: ", "))")
        }
        // The search ended before this request was answered.
        guard found.value["state"]?.string == "loading" else { return Outcome(found) }
        found.response.body = UnfinishedSearch.ended(found.value, after: conversation.timeout)
        return Outcome(try conversation.json(DaemonRequest(.get, location), found.response), late: waiting)
    }

    /// Shows the sources until the search has ended.
    /// - Returns: whether the end was seen. False if the daemon does not stream events to this client.
    private func follow(
        _ location: String, until deadline: MonotonicTime, isQuiet: Bool
    ) throws(CommandFailure) -> Bool {
        let show = { (text: String) in if !isQuiet { self.show(text) } }
        var progress = SearchProgress()
        var hasEnded = false
        defer { show(progress.cleared(rewrites: console.rewrites)) }
        let answer = try conversation.events("\(location)/events", until: deadline) { event throws(CommandFailure) in
            guard let value = try? JSON.parse(event.data) else {
                throw CommandFailure(.broken, "an event of the daemon is not JSON")
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

    /// Cancels a search that the client gives up. The clock is not checked, because a socket time-out may occur
    /// slightly before its deadline.
    private func cancelUnfinished() {
        guard let under = path.withLock({ $0 }) else { return }
        _ = try? quick.ask(DaemonRequest(.delete, under))
    }
}

/// What is shown of a running search, as a pure function from events to text. A terminal that supports it shows one
/// line, which is overwritten with a single write so that it does not flicker. Other outputs get one line per source.
struct SearchProgress {
    /// Returns to the start of the line and erases it (ECMA-48 §8.3.41, EL).
    static let erase = "\r\u{1B}[K"

    private var waiting: [String] = []
    private var come: [String] = []
    private var isShown = false

    /// The search has begun, and its sources are known.
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

    /// Erases the progress line before other output.
    mutating func cleared(rewrites: Bool) -> String {
        defer { isShown = false }
        return rewrites && isShown ? Self.erase : ""
    }

    private mutating func line(_ width: Int) -> String {
        isShown = true
        var parts = come
        if !waiting.isEmpty { parts.append("waiting for " + waiting.joined(separator: ", ")) }
        // One column is left free, because some terminals wrap after the last column.
        return "\r" + DisplayWidth.cut(parts.joined(separator: " · "), to: max(1, width - 1)) + "\u{1B}[K"
    }
}
