// Failed system calls as errors of the store. No other file of this room touches `errno`.
import CSQLite
import Glibc
import LarderCore

extension StoreError {
    /// An error of SQLite, or one of its kind.
    /// - Parameter extended: the extended result code (sqlite.org/rescode.html).
    init(_ extended: Int32, _ doing: String, _ message: String) {
        self.init(code: extended & 0xFF, extendedCode: extended, doing: doing, message: message)
    }

    /// A database that must not be used, found at its opening.
    static func damage(_ message: String) -> StoreError { StoreError(SQLITE_CORRUPT, "opening", message) }

    /// The error of a system call that failed before SQLite was called.
    /// - Parameter number: the error number; nil for that of the last call on this thread.
    static func system(_ doing: String, _ number: Int32? = nil) -> StoreError {
        StoreError(SQLITE_CANTOPEN, doing, String(cString: strerror(number ?? errno)))
    }

    /// The error number of the last call on this thread.
    static var lastNumber: Int32 { errno }

    /// The error of a failed open(2) with O_NOFOLLOW, which was the last call on this thread.
    static func refusedOpening(_ path: String) -> StoreError {
        let number = errno
        return number == ELOOP ? linked(path) : system("opening \(path)", number)
    }

    static func linked(_ path: String) -> StoreError {
        StoreError(
            SQLITE_CANTOPEN, "opening \(path)",
            "it is a symbolic link, which is not followed; set the path of the directory itself")
    }
}
