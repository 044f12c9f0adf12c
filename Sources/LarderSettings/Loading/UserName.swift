// Looks up users and groups. Settings write them by name; the system compares them by number.
import Glibc

public enum UserName {
    /// The number of a user given by name or number; nil if the system knows no user of that name. (uid_t)-1 is no user:
    /// the kernel tells it of peers that it does not know (unix(7)).
    public static func user(_ text: String) -> UInt32? {
        let number = UInt32(text) ?? number(of: text)
        return number == .max ? nil : number
    }

    /// The number of a user; nil if the system knows no user of that name.
    public static func number(of name: String) -> UInt32? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let result = getpwnam_r(name, &record, &buffer, buffer.count, &found)
        return result == 0 && found != nil ? record.pw_uid : nil
    }

    /// The number of a group given by name or number; nil if the system knows no group of that name.
    public static func group(of name: String) -> UInt32? {
        if let number = UInt32(name) { return number }
        var record = Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        let result = getgrnam_r(name, &record, &buffer, buffer.count, &found)
        return result == 0 && found != nil ? record.gr_gid : nil
    }

    /// The groups of a user, the primary group first. Empty if the system knows no such user.
    public static func groups(of name: String) -> [UInt32] {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwnam_r(name, &record, &buffer, buffer.count, &found) == 0, found != nil else { return [] }
        var groups = [gid_t](repeating: 0, count: 1024)
        var count = Int32(groups.count)
        guard getgrouplist(name, record.pw_gid, &groups, &count) >= 0 else { return [record.pw_gid] }
        return Array(groups.prefix(Int(count)))
    }

    /// The name of a user; nil if the system knows no user of that number.
    public static func name(of number: UInt32) -> String? {
        var record = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(number, &record, &buffer, buffer.count, &found) == 0, found != nil, let name = record.pw_name
        else { return nil }
        return String(cString: name)
    }
}
