// The names in a folder, and its removal.
import Glibc
import LarderIO
import LarderTestSupport
import Testing

@Suite struct FolderTests {
    @Test func aFolderTellsItsNames() throws {
        let directory = TemporaryDirectory()
        directory.write("one", "")
        directory.write(".two", "")
        #expect(try Folder.names(directory.path).sorted() == [".two", "one"])
    }

    @Test func whatIsNoFolderIsAnError() {
        let directory = TemporaryDirectory()
        directory.write("file", "")
        #expect(throws: SystemError(call: "opendir", code: ENOTDIR)) { try Folder.names(directory.path + "/file") }
        #expect(throws: SystemError(call: "opendir", code: ENOENT)) { try Folder.names(directory.path + "/none") }
    }

    @Test func aFolderIsRemovedWithWhatItHoldsAndNothingElse() throws {
        let directory = TemporaryDirectory()
        directory.write("kept", "text")
        #expect(mkdir(directory.path + "/folder", 0o700) == 0 && mkdir(directory.path + "/folder/inner", 0o700) == 0)
        directory.write("folder/inner/file", "text")
        #expect(symlink(directory.path + "/kept", directory.path + "/folder/link") == 0)
        Folder.remove(directory.path + "/folder")
        #expect(try Folder.names(directory.path) == ["kept"])
    }
}
