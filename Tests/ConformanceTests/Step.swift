// The language of the scenarios: what happens, in order, and what is to be seen of it.

/// One request of a client, as bytes.
struct Ask: Sendable {
    var bytes: String
    /// The answer has no body, whatever its head says.
    var isHead = false
}

struct Crowd: Sendable {
    var count: Int
    var ask: Ask
    /// Where the origin holds its answer until all of them wait.
    var gate: String
    /// How many answers come from another's fetch, by Cache-Status.
    var collapsed: Int
    /// Of every answer.
    var checks: [Check]
}

enum Step: Sendable {
    /// The origin will give this answer once; the last one it has for a path it repeats.
    case answer(Answer)
    /// A request on a connection of its own, and its answer.
    case exchange(Ask, [Check])
    /// The same where the connection may end before the answer does; nothing is expected of it.
    case attempt(Ask)
    /// A request whose answer is not waited for.
    case start(String, Ask)
    /// The answer to a started request.
    case finish(String, [Check])
    /// So many requests at once, while the origin holds its answer at the gate; the checks hold for each answer.
    case crowd(Crowd)
    /// Seconds pass.
    case pass(Int)
    case open(String)
    /// Waits until the origin has received so many requests in all, or for that path.
    case reaches(Int, path: String?)
    /// By now the origin has received exactly so many requests.
    case saw(Int, path: String?)
    /// What the n-th request that the origin received looks like.
    case received(Int, path: String?, [Check])
    /// Waits until the daemon fetches nothing.
    case settle
}

/// Waits until the daemon fetches nothing, also in the background.
let settle = Step.settle

// MARK: The origin

func answers(_ answers: Answer...) -> [Step] { answers.map { .answer($0) } }

/// The origin has received exactly so many requests.
func saw(_ count: Int, at path: String? = nil) -> Step { .saw(count, path: path) }

/// The origin will have received so many requests, soon.
func reaches(_ count: Int, at path: String? = nil) -> Step { .reaches(count, path: path) }

/// The n-th request at the origin, from 1.
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

/// Exactly these bytes; the answer is read until its end.
func raw(_ bytes: String, expect checks: Check...) -> Step { .exchange(Ask(bytes: bytes), checks) }

func start(_ name: String, _ lines: String..., at path: String = "/a") -> Step {
    .start(name, ask("GET", path, lines))
}

func finish(_ name: String, _ checks: Check...) -> Step { .finish(name, checks) }

/// So many requests at once, answered by one fetch.
func crowd(_ count: Int, _ lines: String..., at path: String = "/a", gate: String, each checks: Check...) -> Step {
    .crowd(Crowd(count: count, ask: ask("GET", path, lines), gate: gate, collapsed: count - 1, checks: checks))
}

func attempt(_ lines: String..., at path: String = "/a") -> Step { .attempt(ask("GET", path, lines)) }

/// Three requests that the cache answers by itself with this body: from the store, on the way to memory, from memory.
func hits(_ text: String, _ lines: String..., at path: String = "/a", also checks: Check...) -> [Step] {
    (0..<3).map { _ in .exchange(ask("GET", path, lines), [body(text), hit()] + checks) }
}

/// A request that is not answered without asking the origin: the answer is the origin's new one.
func miss(_ text: String, _ lines: String..., at path: String = "/a", also checks: Check...) -> Step {
    .exchange(ask("GET", path, lines), [body(text), forwarded()] + checks)
}
