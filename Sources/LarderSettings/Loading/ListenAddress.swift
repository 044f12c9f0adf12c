// Parses listen addresses. `Address` (LarderIO) decides what is valid; this file adds hints for common mistakes.
import LarderCore
import LarderIO

enum ListenAddress {
    static func parse(_ text: String) throws(SettingFault) -> Address {
        do throws(AddressError) {
            return try Address(text)
        } catch {
            throw SettingFault(hint(text) ?? error.description)
        }
    }

    private static func hint(_ text: String) -> String? {
        guard !text.hasPrefix("unix:"), let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        switch text[..<colon] {
        case "localhost": return "names are not resolved here: write 127.0.0.1:\(port) and [::1]:\(port)"
        case "", "*": return "write 0.0.0.0:\(port) or [::]:\(port) for all addresses; that needs allowRemote: true"
        case let host where host.contains(":") && !host.hasPrefix("["):
            return "an IPv6 address stands in brackets: [\(host)]:\(port)"
        default: return nil
        }
    }
}
