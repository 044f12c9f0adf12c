// Making and freeing an easy handle costs as much as setting its options, so a handle whose transfer ended well is used
// again. It is reset first, which restores all options but keeps its share
// (https://curl.se/libcurl/c/curl_easy_reset.html). Before 8.1.1, libcurl kept a pointer to the last field of the
// previous response through the reset. A response whose first field line begins with white space continues that field,
// so it was written into freed memory (https://github.com/curl/curl/issues/11101). With such a libcurl a handle serves
// one transfer.
import CCurl

/// The easy handles that no transfer uses. Confined to one loop.
final class EasyHandles {
    /// The most idle handles kept. If more transfers were under way at once, the handles beyond this number are freed.
    private static let limit = 32

    /// Whether the loaded libcurl forgets a response when its handle is used again.
    static let canServeAgain = larder_curl_version_number() >= 0x08_01_01

    private var idle: [UnsafeMutableRawPointer] = []

    private var isClosed = false

    /// Frees the idle handles. A handle refers to its share, so this must come before the share is freed.
    func close() {
        isClosed = true
        for easy in idle { curl_easy_cleanup(easy) }
        idle = []
    }

    /// A handle without options; nil if libcurl has no memory.
    func take() -> UnsafeMutableRawPointer? { idle.popLast() ?? curl_easy_init() }

    /// Takes back a handle that is in no multi handle.
    /// - Parameter isReusable: whether its transfer completed.
    func giveBack(_ easy: UnsafeMutableRawPointer, isReusable: Bool) {
        guard isReusable, Self.canServeAgain, !isClosed, idle.count < Self.limit else {
            return curl_easy_cleanup(easy)
        }
        curl_easy_reset(easy)
        idle.append(easy)
    }
}
