// What a failure of the disk means, in words that say what a person can do about it. SQLite reports a spent quota as an
// input/output error (sqlite.org/rescode.html#ioerr_write), and the system reports a lack of inodes as a full disk
// (open(2), ENOSPC).
import CSQLite
import Glibc
import LarderCore

extension StoreError {
    static let quota = "the disk quota of this user is spent"
    static let inodes = "the file system has no inodes left for another file"

    /// The error that SQLite would report for its own file (sqlite.org/rescode.html).
    /// - Parameter number: the error number of a system call.
    static func ofDisk(_ number: Int32, doing: String) -> StoreError {
        let code =
            switch number {
            case ENOSPC, EDQUOT: SQLITE_FULL
            case EFBIG, EIO: SQLITE_IOERR
            case EROFS: SQLITE_READONLY
            default: SQLITE_CANTOPEN
            }
        let message = number == EDQUOT ? quota : String(cString: strerror(number))
        return StoreError(code, doing, message)
    }

    /// The same failure in words, if the system's error number says more than SQLite's code.
    func told(_ number: Int32) -> StoreError {
        if code == SQLITE_IOERR, ![0, EIO, EDQUOT].contains(number) {
            let message = "\(message): \(String(cString: strerror(number)))"
            return StoreError(code: code, extendedCode: extendedCode, doing: doing, message: message)
        }
        guard number == EDQUOT, [SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].contains(code) else { return self }
        return StoreError(code: SQLITE_FULL, extendedCode: extendedCode, doing: doing, message: Self.quota)
    }

    /// Whether a file could not be made, though there is room for what would be in it.
    var isLackOfInodes: Bool { code == SQLITE_FULL && message == Self.inodes }

    /// Why nothing is stored.
    var reason: String {
        guard isDiskFull else { return "writing failed: \(message)" }
        return message == Self.quota || message == Self.inodes ? message : "the disk is full"
    }
}
