// Users are written by name and compared by number.
import Glibc

enum UserName {
    /// The number of a user, nil where the machine knows none of that name.
    static func number(of name: String) -> UInt32? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let result = getpwnam_r(name, &record, &buffer, buffer.count, &found)
        return result == 0 && found != nil ? record.pw_uid : nil
    }
}
