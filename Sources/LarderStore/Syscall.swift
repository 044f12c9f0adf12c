// The only file of this room that touches `errno`: system calls that failed, as errors of the store.
import CSQLite
import Glibc
import LarderCore

extension StoreError {
    /// A system call failed before SQLite was asked.
    /// - Parameter number: the error number; without it, that of the last call on this thread.
    static func system(_ doing: String, _ number: Int32? = nil) -> StoreError {
        let number = number ?? errno
        return StoreError(
            code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: doing,
            message: String(cString: strerror(number)))
    }

    /// The error number of the last call on this thread.
    static var lastNumber: Int32 { errno }

    /// The last open(2) on this thread, with O_NOFOLLOW, failed.
    static func refusedOpening(_ path: String) -> StoreError {
        let number = errno
        return number == ELOOP ? linked(path) : system("opening \(path)", number)
    }

    static func linked(_ path: String) -> StoreError {
        StoreError(
            code: SQLITE_CANTOPEN, extendedCode: SQLITE_CANTOPEN, doing: "opening \(path)",
            message: "it is a symbolic link, which is not followed; name the directory itself in the configuration")
    }
}
