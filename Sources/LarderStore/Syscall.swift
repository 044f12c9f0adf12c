// Failed system calls as errors of the store. No other file of this room touches `errno`.
import CSQLite
import Glibc
import LarderCore

extension StoreError {
    /// The error of a system call that failed before SQLite was called.
    /// - Parameter number: the error number; nil for that of the last call on this thread.
    static func system(_ doing: String, _ number: Int32? = nil) -> StoreError {
        let number = number ?? errno
        return StoreError(
            code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: doing,
            message: String(cString: strerror(number)))
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
            code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: "opening \(path)",
            message: "it is a symbolic link, which is not followed; set the path of the directory itself")
    }
}
