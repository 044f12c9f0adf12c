// Sets libcurl options one after another. The first refusal is remembered, so no setting fails silently.
import CCurl
import LarderCore

struct CurlOptions {
    let easy: UnsafeMutableRawPointer
    private(set) var failure = CURLE_OK

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    mutating func keep(_ code: CURLcode) {
        if failure == CURLE_OK { failure = code }
    }

    mutating func number(_ option: CURLoption, _ value: Int) {
        keep(larder_easy_set_long(easy, option, value))
    }

    /// libcurl copies the text.
    mutating func text(_ option: CURLoption, _ value: String) {
        keep(value.withCString { larder_easy_set_string(easy, option, $0) })
    }

    mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        keep(larder_easy_set_pointer(easy, option, value))
    }

    mutating func data(_ option: CURLoption, _ value: larder_data_callback) {
        keep(larder_easy_set_data_callback(easy, option, value))
    }

    /// A request body, which libcurl copies. The length is set first, because the bytes may contain NUL.
    mutating func body(_ bytes: Bytes) {
        keep(larder_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
        // An empty array has a nil address, and a nil address would mean "read the body from a callback".
        let source = bytes.isEmpty ? [0] : bytes
        source.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                keep(larder_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress))
            }
        }
    }

    /// A list of NUL-terminated lines, which lie one after another. `kept` owns the list, because libcurl does not copy it.
    mutating func list(_ option: CURLoption, _ lines: Bytes, kept: inout UnsafeMutablePointer<curl_slist>?) {
        let isWhole = lines.withUnsafeBufferPointer { buffer in
            var place = 0
            while place < buffer.count, let start = buffer.baseAddress {
                let longer = UnsafeRawPointer(start + place).withMemoryRebound(to: CChar.self, capacity: 1) {
                    curl_slist_append(kept, $0)
                }
                guard let longer else { return false }
                kept = longer
                place = (buffer[place...].firstIndex(of: 0) ?? buffer.count) + 1
            }
            return true
        }
        guard isWhole else { return keep(CURLE_OUT_OF_MEMORY) }
        keep(larder_easy_set_list(easy, option, kept))
    }
}
