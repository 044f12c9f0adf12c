// The steps of a scenario, in order, and what is expected of them.

/// One request of a client, as bytes.
struct Ask: Sendable {
    var bytes: String
    /// Whether the response has no body, whatever its head says.
    var isHead = false
}

struct Crowd: Sendable {
    var count: Int
    var ask: Ask
    /// The gate at which the origin holds its response until all clients wait.
    var gate: String
    /// How many responses come from a shared fetch, according to Cache-Status.
    var collapsed: Int
    /// The checks for every response.
    var checks: [Check]
}

enum Step: Sendable {
    /// The origin will give this response once. The last response for a path is repeated.
    case answer(Answer)
    /// Sends a request on its own connection and checks the response.
    case exchange(Ask, [Check])
    /// Sends a request whose connection may end before the response is complete. Nothing is checked.
    case attempt(Ask)
    /// Sends a request and does not wait for the response.
    case start(String, Ask)
    /// Waits for the response to a started request.
    case finish(String, [Check])
    /// Sends several requests at once while the origin holds its response at the gate. The checks apply to each
    /// response.
    case crowd(Crowd)
    /// Advances the clock by seconds.
    case pass(Int)
    case open(String)
    /// Waits until the origin has received this many requests, in total or for the path.
    case reaches(Int, path: String?)
    /// Waits until this many requests have joined the fetch of another request, in total.
    case joins(Int)
    /// Checks that the origin has received exactly this many requests.
    case saw(Int, path: String?)
    /// Checks the n-th request that the origin received, counted from 1.
    case received(Int, path: String?, [Check])
    /// Waits until the daemon has no fetch under way.
    case settle
}

/// Waits until the daemon has no fetch under way, including background fetches.
let settle = Step.settle

// MARK: The origin

func answers(_ answers: Answer...) -> [Step] { answers.map { .answer($0) } }

/// The origin has received exactly this many requests.
func saw(_ count: Int, at path: String? = nil) -> Step { .saw(count, path: path) }

/// Waits until the origin has received this many requests.
func reaches(_ count: Int, at path: String? = nil) -> Step { .reaches(count, path: path) }

/// Waits until this many requests of the clause wait for the fetch of another request, or have waited for one.
func joins(_ count: Int) -> Step { .joins(count) }

/// The n-th request at the origin, counted from 1.
func received(_ number: Int, at path: String? = nil, _ checks: Check...) -> Step {
    .received(number, path: path, checks)
}

func open(_ gate: String) -> Step { .open(gate) }

// MARK: Time

func pass(_ seconds: Int) -> Step { .pass(seconds) }

// MARK: Clients

/// A request with these lines. The harness adds Host and `Connection: close`.
func ask(_ method: String, _ path: String, _ lines: [String], body: String? = nil) -> Ask {
    var head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + lines
    if let body { head.append("Content-Length: \(body.utf8.count)") }
    return Ask(bytes: head.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""), isHead: method == "HEAD")
}

func get(_ lines: String..., at path: String = "/a", expect checks: Check...) -> Step {
    .exchange(ask("GET", path, lines), checks)
}

func head(_ lines: String..., at path: String = "/a", expect checks: Check...) -> Step {
    .exchange(ask("HEAD", path, lines), checks)
}

func send(
    _ method: String, _ lines: String..., at path: String = "/a", body: String? = nil, expect checks: Check...
) -> Step {
    .exchange(ask(method, path, lines, body: body), checks)
}

/// Sends exactly these bytes and reads the response to its end.
func raw(_ bytes: String, expect checks: Check...) -> Step { .exchange(Ask(bytes: bytes), checks) }

func start(_ name: String, _ lines: String..., at path: String = "/a") -> Step {
    .start(name, ask("GET", path, lines))
}

func finish(_ name: String, _ checks: Check...) -> Step { .finish(name, checks) }

/// Sends this many requests at once. One fetch answers them all.
func crowd(_ count: Int, _ lines: String..., at path: String = "/a", gate: String, each checks: Check...) -> Step {
    .crowd(Crowd(count: count, ask: ask("GET", path, lines), gate: gate, collapsed: count - 1, checks: checks))
}

func attempt(_ lines: String..., at path: String = "/a") -> Step { .attempt(ask("GET", path, lines)) }

/// Three requests that the cache answers itself with this body: from the store, while it moves to memory, and from
/// memory.
func hits(_ text: String, _ lines: String..., at path: String = "/a", also checks: Check...) -> [Step] {
    (0..<3).map { _ in .exchange(ask("GET", path, lines), [body(text), hit()] + checks) }
}

/// A request that the cache forwards. The response is the new one of the origin.
func miss(_ text: String, _ lines: String..., at path: String = "/a", also checks: Check...) -> Step {
    .exchange(ask("GET", path, lines), [body(text), forwarded()] + checks)
}
