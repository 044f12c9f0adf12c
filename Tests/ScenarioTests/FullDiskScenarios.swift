// No room on the disk: storing stops, serving continues, and storing starts again by itself.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct FullDiskScenarios {
    /// A file system of a few megabytes. It is unmounted when its last reference is released.
    final class SmallDisk: Sendable {
        let path: String
        /// Kept until the file system is unmounted. The directory cannot be removed before that.
        private let directory: TemporaryDirectory

        /// Mounts the file system at `name` in the directory. Returns nil if this process must not mount.
        init?(in directory: TemporaryDirectory, megabytes: Int, at name: String = "cache") {
            let path = "\(directory.path)/\(name)"
            mkdir(path, 0o700)
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else { return nil }
            self.path = path
            self.directory = directory
        }

        deinit { umount2(path, Int32(MNT_DETACH)) }

        /// Takes space until this many bytes are left.
        func fill(leaving rest: Int) throws {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { throw WireError("no statvfs") }
            let length = Int(status.f_bavail) * Int(status.f_frsize) - rest
            let descriptor = open("\(path)/filler", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            defer { close(descriptor) }
            guard length > 0, posix_fallocate(descriptor, lseek(descriptor, 0, SEEK_END), length) == 0 else {
                throw WireError("cannot fill")
            }
        }

        func empty() { unlink("\(path)/filler") }

        var free: Int {
            var status = statvfs()
            return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : -1
        }
    }

    static let mayMount = SmallDisk(in: TemporaryDirectory(), megabytes: 1) != nil

    /// Targets with bodies of 150 KB.
    static func large(_ number: Int) -> String { "/file/\(number * 4 + 1)" }

    /// A daemon and its addresses.
    struct Stand {
        let larder: LarderProcess
        let api: String
        let shop: String

        init(_ larder: LarderProcess) throws {
            self.larder = larder
            let addresses = try larder.listening(2)
            (api, shop) = (addresses[0], addresses[1])
        }

        /// Sends a request, compares the body with what it must be, and returns what the cache did.
        func ask(_ target: String) throws -> String {
            let response = try LarderProcess.get(target, at: shop)
            #expect(DamageScenarios.isRight(response, target), "\(target): \(response.statusLine)")
            return response["Cache-Status"] ?? ""
        }

        func degraded() throws -> String? {
            try LarderProcess.get("/v1/status", at: api).json()["store"]?["degraded"]?.string
        }

        func expectHealth(_ text: String) throws {
            let health = try LarderProcess.get("/healthz", at: api)
            #expect(health.status == 200)
            #expect(health.text == "\(text)\n")
            #expect(try LarderProcess.get("/readyz", at: api).status == 200)
        }

        /// Asks new questions until nothing is stored any more. Returns the targets that were stored. An answer that
        /// counts as stored is committed when the daemon reports its figures.
        func fillUp() throws -> [String] {
            var stored: [String] = []
            for number in 0..<200 {
                let target = FullDiskScenarios.large(number)
                guard try isStored(target), try degraded() == nil else { break }
                stored.append(target)
            }
            return stored
        }

        /// Sends a new request. The response to a slow body leaves before the body is stored, and does not say so. A
        /// client that has the whole body finds it stored.
        func isStored(_ target: String) throws -> Bool {
            if try ask(target).hasSuffix("; stored") { return true }
            return try ask(target).hasPrefix("larder; hit")
        }

        /// Expects what a full disk must look like from outside.
        /// - Parameter storesNothing: whether even small answers do not fit and do not take the place of others.
        func expectServing(_ stored: [String], storesNothing: Bool = true) throws {
            #expect(try degraded() != nil)
            try expectHealth("degraded")
            for number in 0..<5 {
                let target = "/fresh/\(number)"
                let status = try ask(target)
                #expect(status.hasPrefix("larder; fwd=uri-miss"), "\(status)")
                if storesNothing { #expect(!status.contains("stored"), "\(status)") }
            }
            for target in stored {
                #expect(try ask(target).hasPrefix("larder; hit"), "\(target) is still there")
            }
            #expect(try LarderProcess.get("/v1/itunes/search?q=new", at: api).status == 200)
        }

        func expectQuietEnd(warnings: Int) throws {
            try LarderProcess.awaitCommits(at: api)
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            let complaints = larder.complaints()
            #expect(complaints.count == warnings, "\(complaints)")
            #expect(complaints.allSatisfy { $0.contains(" warning ") })
        }
    }

    @Test func aFileSizeLimitStopsStoringAndNotServing() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        var launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory, cacheMore: ", memorySize: 0"))
        // This is 1 MiB in the units of sh. The log reaches it: bodies of this size lie in files of their own.
        launch.prelude = "ulimit -f 2048"
        try await onOwnThread { [launch] in
            let stand = try Stand(LarderProcess(launch, in: directory))
            let stored = try stand.fillUp()
            #expect((5..<30).contains(stored.count), "\(stored.count)")
            try stand.expectServing(stored)
            try stand.expectQuietEnd(warnings: 1)
        }
    }

    @Test(.enabled(if: mayMount, "a small disk needs the right to mount"), arguments: ["0", "3 MiB"])
    func aFullDiskStopsStoringUntilThereIsRoomAgain(_ minFree: String) async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let disk = try #require(SmallDisk(in: directory, megabytes: 24))
        let configuration = TellingOrigin.configuration(origin, in: directory, cacheMore: ", memorySize: 0")
            .replacing("minFree: 0", with: "minFree: \(minFree)")
        try await onOwnThread {
            let stand = try Stand(LarderProcess(LarderLaunch(configuration), in: directory))
            #expect(try stand.ask("/file/0").hasSuffix("; stored"))
            try stand.expectHealth("ok")
            try disk.fill(leaving: 6 << 20)
            let stored = try stand.fillUp()
            #expect((5..<60).contains(stored.count), "\(stored.count)")
            // Small answers still fit, or take the place of old ones. The free space is kept in both cases.
            try stand.expectServing([], storesNothing: false)
            #expect(disk.free >= (minFree == "0" ? 0 : 3 << 20), "\(disk.free)")
            disk.empty()
            // The store tries again after a pause of five seconds. The test sends new requests until it has.
            let clock = SystemTime()
            let deadline = clock.monotonic() + .seconds(120)
            var number = 0
            while try !stand.ask("/again/\(number * 4)").hasSuffix("; stored"), clock.monotonic() < deadline {
                number += 1
            }
            #expect(try stand.ask("/again/\(number * 4)").hasPrefix("larder; hit"))
            // A store is healthy again when it has stored something some time after the last refusal.
            while try stand.degraded() != nil, clock.monotonic() < deadline {
                number += 1
                _ = try stand.ask("/again/\(number * 4)")
            }
            #expect(try stand.degraded() == nil)
            try stand.expectHealth("ok")
            try stand.expectQuietEnd(warnings: 1)
        }
    }

    @Test(.enabled(if: mayMount, "a small disk needs the right to mount"))
    func aDiskThatIsFullAtTheStartIsNoReasonNotToServe() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let disk = try #require(SmallDisk(in: directory, megabytes: 8))
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        try await onOwnThread {
            try disk.fill(leaving: 4096)
            let stand = try Stand(LarderProcess(launch, in: directory))
            #expect(try stand.degraded() != nil)
            try stand.expectHealth("degraded")
            #expect(try !stand.ask("/file/1").contains("stored"))
            disk.empty()
            let clock = SystemTime()
            let deadline = clock.monotonic() + .seconds(120)
            var number = 0
            while try !stand.ask("/again/\(number * 4)").hasSuffix("; stored"), clock.monotonic() < deadline {
                number += 1
            }
            #expect(try stand.degraded() == nil)
            try stand.expectQuietEnd(warnings: 1)
        }
    }

    /// Changing a database takes room. Removing it must not.
    @Test(.enabled(if: mayMount, "a small disk needs the right to mount"))
    func everythingCanBePurgedFromAFullDisk() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let disk = try #require(SmallDisk(in: directory, megabytes: 8))
        let token = "nobody-guesses-a-token-such-as-this-one"
        let configuration = TellingOrigin.configuration(origin, in: directory, cacheMore: ", memorySize: 0")
        let launch = LarderLaunch(configuration + "\nadmin: { token: \"\(token)\" }\n")
        try await onOwnThread { [launch] in
            let stand = try Stand(LarderProcess(launch, in: directory))
            #expect(try stand.ask("/file/0").hasSuffix("; stored"))
            try disk.fill(leaving: 2 << 20)
            let stored = try stand.fillUp()
            // The test takes the remaining space too, so not even a page of the log has room.
            try? disk.fill(leaving: 0)
            #expect(!stored.isEmpty)
            #expect(try stand.degraded() != nil)
            // The store may have removed some entries for one that did not fit in the end.
            let entries = try LarderProcess.get("/v1/status", at: stand.api).json()["store"]?["entries"]?.integer
            #expect((entries ?? 0) > 0)
            let client = try WireClient(stand.api)
            try client.send(
                "DELETE /v1/cache?all=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
            let answer = try client.receive()
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["purged"]?.integer == entries, "\(answer)")
            #expect(try stand.degraded() == nil)
            let again = try stand.ask("/file/0")
            #expect(again.hasPrefix("larder; fwd=uri-miss") && again.hasSuffix("; stored"), "\(again)")
            try stand.expectQuietEnd(warnings: 2)
        }
    }

    @Test(.enabled(if: mayMount, "a small disk needs the right to mount"))
    func aFullDiskOfTheStateEndsTheStartInPlainWordsUntilThereIsRoom() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let disk = try #require(SmallDisk(in: directory, megabytes: 1, at: "state"))
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        try await onOwnThread {
            try disk.fill(leaving: 0)
            let refused = try LarderProcess(launch, in: directory)
            #expect(try refused.waitForEnd() == .exited(1))
            let said = refused.standardError
            #expect(said.contains("the disk of \(disk.path) (state.path) is full"), "\(said)")
            disk.empty()
            let stand = try Stand(LarderProcess(launch, in: directory))
            try stand.expectQuietEnd(warnings: 0)
        }
    }

    @Test func theCapIsNeverExceededByMoreThanOneObject() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let cap = 4 << 20
        let launch = LarderLaunch(
            TellingOrigin.configuration(
                origin, in: directory, cacheMore: ", memorySize: 0, maxSize: 4 MiB, maxObject: 3 MiB"))
        try await onOwnThread {
            let stand = try Stand(LarderProcess(launch, in: directory))
            for number in 0..<150 {
                let target = "/file/\(number)"
                let largest = TellingOrigin.body(target).count + (64 << 10)
                let status = try stand.ask(target)
                // A larger body goes to the client before it is stored. A client with the whole body finds it stored.
                #expect(status.hasPrefix("larder; fwd=uri-miss; fwd-status=200"), "\(target): \(status)")
                #expect(try stand.ask(target).hasPrefix("larder; hit"), "the newest stays")
                let store = try LarderProcess.get("/v1/status", at: stand.api).json()["store"]
                let live = try #require(store?["liveBytes"]?.integer)
                #expect(live <= cap + largest, "after \(number)")
            }
            try stand.expectQuietEnd(warnings: 0)
        }
    }
}
