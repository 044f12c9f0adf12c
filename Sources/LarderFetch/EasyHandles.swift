// Making an easy handle and freeing it costs as much as setting its options. One whose transfer ended well is used again. It is
// reset first, which puts all options back; it keeps its share (https://curl.se/libcurl/c/curl_easy_reset.html).
import CCurl

/// Easy handles that no transfer has. Confined to one loop.
final class EasyHandles {
    /// More were under way at once; they are freed.
    private static let limit = 32

    private var idle: [UnsafeMutableRawPointer] = []

    private var isClosed = false

    /// Frees those that nobody has. A handle keeps its part of what handles share, so this comes before the share's end.
    func close() {
        isClosed = true
        for easy in idle { curl_easy_cleanup(easy) }
        idle = []
    }

    /// A handle without options; nil where libcurl has no memory.
    func take() -> UnsafeMutableRawPointer? { idle.popLast() ?? curl_easy_init() }

    /// Takes back a handle that is in no multi handle.
    /// - Parameter isReusable: its transfer came to its end.
    func giveBack(_ easy: UnsafeMutableRawPointer, isReusable: Bool) {
        guard isReusable, !isClosed, idle.count < Self.limit else { return curl_easy_cleanup(easy) }
        curl_easy_reset(easy)
        idle.append(easy)
    }
}
