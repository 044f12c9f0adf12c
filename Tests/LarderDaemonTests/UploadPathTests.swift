// The name of a file that can be deleted is as good as a key. No path that contains such a name is written down.
import LarderCore
import Testing

@testable import LarderDaemon

@Suite struct UploadPathTests {
    @Test(arguments: [
        (Method.delete, "/v1/imgur/images/secret"), (.get, "/v1/imgur/images/secret"),
        (.delete, "/v1/%69mgur/images/secret"), (.delete, "/v1//imgur/./images/secret/"),
        (.delete, "/imgur/images/secret"), (.post, "/v1/imgur/images/a/secret"),
    ])
    func aFileOfOnesOwnIsNotNamed(_ method: Method, _ path: String) {
        #expect(RedactedPath.upload(method, path, listenerProvider: nil) == "/v1/imgur/images/…")
    }

    @Test(arguments: ["/raw/imgur/3/image/secret", "/raw/%69mgur/3/image/secret", "//raw/./imgur/3/image/secret"])
    func whatADeletionByTheRawWayNamesIsNotToldButThatItWasOne(_ path: String) {
        #expect(RedactedPath.upload(.delete, path, listenerProvider: nil) == "/raw/imgur/…")
        #expect(RedactedPath.upload(.get, path, listenerProvider: nil) == nil)
    }

    @Test func aDeletionOnAListenerOfTheProviderIsNotTold() {
        #expect(RedactedPath.upload(.delete, "/3/image/secret", listenerProvider: "imgur") == "/…")
        #expect(RedactedPath.upload(.get, "/3/image/abc", listenerProvider: "imgur") == nil)
        #expect(RedactedPath.upload(.delete, "/3/image/abc", listenerProvider: "itunes") == nil)
    }

    @Test(arguments: [
        "/v1/imgur/images", "/v1/imgur/search", "/v1/itunes/images/abc", "/v1/imgur/image/abc", "/raw/itunes/search",
        "/v1/search", "/", "/imgur", "/%ff",
    ])
    func everyOtherPathIsToldAsItIs(_ path: String) {
        #expect(RedactedPath.upload(.delete, path, listenerProvider: nil) == nil)
    }
}
