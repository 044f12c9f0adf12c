// larder top: shows the daemon at work on a full screen, redrawn each second. In a pipe it prints one plain snapshot.
import Glibc
import LarderCore
import LarderIO

enum TopCommand {
    static let command = Subcommand(
        "top", "watch the daemon at work",
        details: [
            "Shows requests a second, hits, times, the providers with the calls left, the most requested entries and "
                + "the last slow requests on the whole terminal, updated each second. Keys sort it; q ends it, ? "
                + "explains it. If the daemon stops, the command waits for it.",
            "In a pipe, or with --once, it prints one snapshot of one interval.",
        ],
        options: [
            CommandOption("--once", "print one snapshot and end"),
            CommandOption(
                "--interval", value: "DURATION", "the time between updates, from 200ms to 60s; default 1s"),
            CommandOption("--json", "print one snapshot as JSON"),
        ] + Conversation.options,
        examples: [("larder top", "until q"), ("larder top --json", "one snapshot for a program")]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let interval = try invocation.duration("--interval", default: .seconds(1))
        guard interval >= .milliseconds(200), interval <= .seconds(60) else {
            throw CommandFailure(.usage, "--interval: give a duration from 200ms to 60s")
        }
        let conversation = try Conversation(invocation)
        let console = invocation.console
        if invocation.has("--once") || invocation.has("--json") || !console.rewrites {
            return try snapshot(conversation, interval, invocation)
        }
        // A view that is shown must not stand still for long.
        let quick = Conversation(conversation, timeout: min(conversation.timeout, .seconds(2)))
        var state = TopState()
        // If no daemon answers at the start, the command fails. It waits only for a daemon that goes away later.
        let first = invocation.has("--timeout") ? conversation.timeout : .seconds(10)
        try poll(Conversation(conversation, timeout: first), into: &state)
        let terminal = TopTerminal(console)
        let interruption = Interruption.isPrepared ? Interruption { terminal.restore() } : nil
        defer {
            interruption?.disarm()
            terminal.restore()
        }
        watch(quick, interval, terminal, &state)
        return .done
    }

    /// Prints one snapshot over one interval.
    private static func snapshot(
        _ conversation: Conversation, _ interval: Duration, _ invocation: Invocation
    ) throws(CommandFailure) -> CommandStatus {
        var state = TopState()
        try poll(conversation, into: &state)
        var request = DaemonRequest(.get, "/v1/requests?limit=1000")
        request.needsAuthority = true
        let end = SystemTime().monotonic() + interval
        state.take(event: try conversation.json(request).value)
        while SystemTime().monotonic() < end { pause(end - SystemTime().monotonic()) }
        try poll(conversation, into: &state)
        let console = invocation.console
        if invocation.has("--json") {
            _ = console.write(state.json + [0x0A])
        } else {
            for line in TopView(state, width: max(TopView.leastWidth, console.width), height: .max).snapshot {
                console.line(line)
            }
        }
        return .done
    }

    /// Draws until a key ends the view or the output cannot be written.
    private static func watch(
        _ conversation: Conversation, _ interval: Duration, _ terminal: TopTerminal, _ state: inout TopState
    ) {
        var follower: RequestFollower?
        var nextPoll = SystemTime().monotonic() + interval
        var drawn = (width: 0, height: 0)
        var isChanged = true
        var hasKeyboard = terminal.hasKeyboard
        var nextFollow = SystemTime().monotonic()
        var followedAt: Int?
        while true {
            if SystemTime().monotonic() >= nextPoll {
                do throws(CommandFailure) {
                    try poll(conversation, into: &state)
                } catch {
                    state.trouble = Console.printable(error.message)
                }
                nextPoll = SystemTime().monotonic() + interval
                isChanged = true
            }
            if follower == nil, state.trouble == nil, SystemTime().monotonic() >= nextFollow {
                // Requests that the same daemon has reported are not counted again. A restarted daemon has other
                // requests.
                let isSame = followedAt.map { state.uptime >= $0 } ?? false
                follower = try? RequestFollower(conversation, last: isSame ? 0 : 1000)
                followedAt = state.uptime
                // If the daemon refuses, it is not asked again at once.
                nextFollow = SystemTime().monotonic() + .seconds(1)
            }
            let size = terminal.size
            if isChanged || size != drawn {
                guard terminal.show(TopView(state, width: size.width, height: size.height).lines) else { return }
                (drawn, isChanged) = (size, false)
            }
            // The terminal size is checked four times a second.
            let rest = min(nextPoll - SystemTime().monotonic(), .milliseconds(250))
            let ready = terminal.wait(follower?.descriptor, keyboard: hasKeyboard, atMost: rest)
            if ready.key {
                let keys = terminal.keys()
                hasKeyboard = !keys.isEmpty
                // An arrow key is an escape and further bytes, none of which is a command.
                for key in keys where keys.first != 0x1B { guard state.press(key) else { return } }
                isChanged = true
            }
            if ready.data {
                if let events = follower?.read() {
                    for event in events { state.take(event: event) }
                } else {
                    // The next poll tells whether the daemon is still there.
                    follower = nil
                    nextPoll = min(nextPoll, SystemTime().monotonic() + .milliseconds(200))
                }
            }
        }
    }

    private static func poll(_ conversation: Conversation, into state: inout TopState) throws(CommandFailure) {
        let metrics = try conversation.demand(DaemonRequest(.get, "/metrics"))
        let at = Double(SystemTime().monotonic().nanoseconds) / 1e9
        let status = try conversation.json(DaemonRequest(.get, "/v1/status")).value
        state.take(TopSample(metrics.body.lossyText, at: at), status: status)
    }

    private static func pause(_ duration: Duration) { usleep(UInt32(clamping: max(1, duration.wholeMicroseconds))) }
}
