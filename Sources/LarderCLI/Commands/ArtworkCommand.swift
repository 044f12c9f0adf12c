// larder artwork: writes one image, named by its handle, to a file or a pipe.
import Glibc
import LarderCore
import LarderIO

enum ArtworkCommand {
    static let command = Subcommand(
        "artwork", "fetch an image of a result", operands: "HANDLE",
        details: [
            "HANDLE is the `small` or `large` value of a result's `artwork`, with or without /v1/artwork/ before it."
        ],
        options: [
            CommandOption("--output", short: "-o", value: "FILE", "write the image to this file; - for standard output")
        ]
            + Conversation.options,
        examples: [
            ("larder search 'in between dreams' --json | jq -r '.results[0].artwork.large'", "where handles come from"),
            ("larder artwork /v1/artwork/AbC… -o cover.jpg", "the image itself"),
        ]
    ) { invocation throws(CommandFailure) in
        let handle = try invocation.operand("handle")
        let name = handle.split(separator: "/").last.map(String.init) ?? ""
        guard !name.isEmpty, name.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            throw CommandFailure(.usage, "\"\(Console.printable(handle))\" is not a handle of an image")
        }
        let file = invocation.value("--output")
        if file == nil, invocation.console.isTerminal {
            throw CommandFailure(
                .usage, "the image is not printed to a terminal", advice: "Give a file with -o FILE.")
        }
        let response = try Conversation(invocation).demand(DaemonRequest(.get, "/v1/artwork/\(name)"))
        guard let file, file != "-" else {
            _ = invocation.console.write(response.body)
            return .done
        }
        try save(response.body, to: file)
        let type = response.fields.first(.contentType) ?? "unknown type"
        let size = Units.format(size: Int64(response.body.count))
        invocation.console.note("\(file): \(Console.printable(type)), \(size), \(SearchAnswer.outcome(response))")
        return .done
    }

    /// Writes the whole file or nothing, so that a partial image is never mistaken for a complete one.
    static func save(_ bytes: Bytes, to path: String) throws(CommandFailure) {
        let part = "\(path).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CommandFailure(.failed, "\(path) cannot be written") }
        var rest = bytes[...]
        while !rest.isEmpty {
            guard case .bytes(let count) = rest.withUnsafeBytes({ Syscall.write(descriptor, $0) }) else { break }
            rest = rest.dropFirst(count)
        }
        let isClosed = close(descriptor) == 0
        guard rest.isEmpty, isClosed, rename(part, path) == 0 else {
            unlink(part)
            throw CommandFailure(.failed, "\(path) cannot be written")
        }
    }
}
