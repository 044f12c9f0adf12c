// Files with wrong content or at wrong places: the service continues, or says in one sentence why it cannot.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct DamageScenarios {
    /// Overwrites whole files in place, as a failing disk does: the same files get other bytes. All files are opened
    /// before the first write, because a daemon that notices at once creates new files under these names.
    static func spoil(_ paths: String..., part: Range<Int>? = nil) throws {
        let files = paths.map { (path: $0, descriptor: open($0, O_WRONLY | O_CLOEXEC)) }
        defer { for file in files where file.descriptor >= 0 { close(file.descriptor) } }
        if let missing = files.first(where: { $0.descriptor < 0 }) { throw WireError("cannot open \(missing.path)") }
        for file in files {
            let part = part ?? 0..<max(4096, Int(lseek(file.descriptor, 0, SEEK_END)))
            let garbage = Bytes(repeating: 0xAA, count: part.count)
            guard pwrite(file.descriptor, garbage, garbage.count, part.lowerBound) == garbage.count else {
                throw WireError("cannot write \(file.path)")
            }
        }
    }

    /// The names of the databases that were set aside, without their logs.
    static func setAside(_ name: String, in directory: TemporaryDirectory) -> [String] {
        names(in: "\(directory.path)/\(name)").filter {
            $0.hasPrefix("\(name).db.corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
        }
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// The path of the only body file.
    private static func bodyFile(in directory: TemporaryDirectory) throws -> String {
        var path = "\(directory.path)/cache/bodies"
        for _ in 0..<3 {
            let names = names(in: path)
            guard names.count == 1 else { throw WireError("not one body: \(names)") }
            path += "/" + names[0]
        }
        return path
    }

    static func isRight(_ response: WireResponse, _ target: String) -> Bool {
        response.status == 200 && response.body == TellingOrigin.body(target)
    }

    @Test func aCacheOverwrittenWhileStoppedIsSetAsideWithOneWarning() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            let shop = try first.listening(2)[1]
            #expect(try Self.isRight(LarderProcess.get("/file/1", at: shop), "/file/1"))
            try LarderProcess.awaitCommits(at: first.listening(2)[0])
            first.signal(SIGTERM)
            #expect(try first.waitForEnd() == .exited(0))

            try Self.spoil("\(directory.path)/cache/cache.db")
            let second = try LarderProcess(launch, in: directory)
            let again = try second.listening(2)[1]
            let missed = try LarderProcess.get("/file/1", at: again)
            #expect(Self.isRight(missed, "/file/1"))
            // The next response shows whether the body is stored. A slow body's first response leaves too early to say.
            let status = missed["Cache-Status"] ?? ""
            #expect(status.hasPrefix("larder; fwd=uri-miss; fwd-status=200"), "\(status)")
            #expect(try LarderProcess.get("/file/1", at: again)["Cache-Status"]?.hasPrefix("larder; hit") == true)
            try LarderProcess.awaitCommits(at: second.listening(2)[0])
            second.signal(SIGTERM)
            #expect(try second.waitForEnd() == .exited(0))
            #expect(second.complaints().count == 1, "\(second.complaints())")
            #expect(second.complaints().first?.contains("store.setAside") == true)
            let aside = Self.setAside("cache", in: directory)
            #expect(aside.count == 1, "\(aside)")
        }
    }

    @Test func aCacheOverwrittenUnderTheRunningDaemonCostsNoAnswer() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory, cacheMore: ", memorySize: 0"))
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            let shop = try larder.listening(2)[1]
            for number in 0..<40 { _ = try LarderProcess.get("/file/\(number)", at: shop) }
            try Self.spoil("\(directory.path)/cache/cache.db", "\(directory.path)/cache/cache.db-wal")
            var number = 0
            repeat {
                for target in ["/file/\(number % 40)", "/other/\(number)"] {
                    #expect(try Self.isRight(LarderProcess.get(target, at: shop), target), "\(target)")
                }
                number += 1
            } while number < 400 && !larder.standardError.contains("store.setAside")
            #expect(try Self.isRight(LarderProcess.get("/file/9999", at: shop), "/file/9999"))
            let kept = try LarderProcess.get("/file/9999", at: shop)
            #expect(kept["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(kept["Cache-Status"] ?? "")")
            #expect(try LarderProcess.get("/healthz", at: larder.listening(2)[0]).text == "ok\n")
            try LarderProcess.awaitCommits(at: larder.listening(2)[0])
            larder.signal(SIGTERM)
            #expect(try larder.waitForEnd() == .exited(0))
            #expect(larder.complaints().count == 1, "\(larder.complaints())")
            #expect(larder.complaints().first?.contains("store.setAside") == true)
        }
    }

    /// One piece of a large body is damaged. The request starts at that piece, or at the beginning if it is the first.
    @Test(arguments: [(0, nil), (10, "bytes=655400-"), (10, "bytes=0-9,655400-655409")] as [(Int, String?)])
    func aLargeBodyThatBeginsInADamagedPieceIsFetchedAnew(_ piece: Int, _ range: String?) async throws {
        let unit = { @Sendable (number: Int) in "<line \(1_000_000 + number)>\n" }
        let text = (0..<100_000).map(unit).joined()
        let origin = ScriptedOrigin(answering: ok(text, fields: "Cache-Control: max-age=86400\r\n"))
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory, cacheMore: ", memorySize: 0"))
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            #expect(try LarderProcess.get("/a", at: first.listening(2)[1]).body.count == text.utf8.count)
            try LarderProcess.awaitCommits(at: first.listening(2)[0])
            first.signal(SIGTERM)
            #expect(try first.waitForEnd() == .exited(0))
            // This is a line in the middle of the piece.
            let line = Bytes(text: unit((piece * 65_536 + 30_000) / unit(0).utf8.count))
            try Self.flip(line, in: Self.bodyFile(in: directory))

            let second = try LarderProcess(launch, in: directory)
            let client = try WireClient(second.listening(2)[1])
            let more = range.map { "Range: \($0)\r\n" } ?? ""
            try client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(more)\r\n")
            let answer = try client.receive()
            #expect([200, 206].contains(answer.status))
            #expect(answer["Cache-Status"]?.contains("hit") == false, "\(answer["Cache-Status"] ?? "")")
            if range == nil { #expect(answer.text == text) }
            #expect(origin.requests.count == 2)
            second.signal(SIGTERM)
            try second.waitForEnd()
        }
    }

    /// Changes one byte in the middle of the given bytes, which occur once in the file.
    private static func flip(_ bytes: Bytes, in path: String) throws {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        let file = Bytes(room: size) { buffer, count in count = max(0, pread(descriptor, buffer.baseAddress, size, 0)) }
        guard let place = file.firstRange(of: bytes)?.lowerBound else { throw WireError("not in one place") }
        let other = file[place + 8] ^ 1
        guard pwrite(descriptor, [other], 1, off_t(place + 8)) == 1 else { throw WireError("cannot write \(path)") }
    }

    /// Damage to the whole file is noticed when it is opened, damage to the pages of the calls when they are read.
    @Test(arguments: [nil, 3 * 4096..<5 * 4096])
    func aLostRecordOfCallsCountsAsSpentAlsoAfterAnotherRestart(_ part: Range<Int>?) async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(
            TellingOrigin.configuration(origin, in: directory, itunes: "    rate: off\n    quota: 50/day"))
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            #expect(try LarderProcess.get("/v1/itunes/search?q=one", at: first.listening(2)[0]).status == 200)
            try LarderProcess.awaitCommits(at: first.listening(2)[0])
            first.signal(SIGTERM)
            #expect(try first.waitForEnd() == .exited(0))
            try Self.spoil("\(directory.path)/state/state.db", part: part)
            for run in 0..<3 {
                let larder = try LarderProcess(launch, in: directory)
                let addresses = try larder.listening(2)
                let spent = try LarderProcess.get("/v1/itunes/search?q=two", at: addresses[0])
                #expect(spent.status == 429, "run \(run): \(spent)")
                #expect(try spent.json()["class"]?.string == "limited")
                #expect(spent["Retry-After"].flatMap { Int($0) } ?? 0 > 80_000, "\(spent)")
                // Requests for stored answers and for providers without a budget are answered.
                #expect(try LarderProcess.get("/v1/itunes/search?q=one", at: addresses[0]).status == 200)
                #expect(try Self.isRight(LarderProcess.get("/file/1", at: addresses[1]), "/file/1"))
                try LarderProcess.awaitCommits(at: addresses[0])
                if run == 1 { larder.signal(SIGKILL) } else { larder.signal(SIGTERM) }
                try larder.waitForEnd()
                let complaints = larder.complaints()
                #expect(complaints.filter { $0.contains("state.setAside") }.count == (run == 0 ? 1 : 0))
                #expect(run == 0 || complaints.isEmpty, "\(complaints)")
                #expect(complaints.allSatisfy { $0.contains(" warning ") })
            }
            #expect(origin.requests.filter { $0.target.hasPrefix("/search") }.count == 1)
            let aside = Self.setAside("state", in: directory)
            #expect(aside.count == 1, "\(aside)")
        }
    }

    @Test func aStateOverwrittenUnderTheRunningDaemonCostsNoAnswerAndNoBudget() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(
            TellingOrigin.configuration(origin, in: directory, itunes: "    rate: off\n    quota: 30/day"))
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            let api = try first.listening(2)[0]
            for number in 0..<20 {
                if number == 10 {
                    try Self.spoil("\(directory.path)/state/state.db", "\(directory.path)/state/state.db-wal")
                }
                let answer = try LarderProcess.get("/v1/itunes/search?q=word\(number)", at: api)
                #expect(answer.status == 200, "\(number): \(answer)")
            }
            try LarderProcess.awaitCommits(at: api)
            first.signal(SIGTERM)
            #expect(try first.waitForEnd() == .exited(0))
            let second = try LarderProcess(launch, in: directory)
            let again = try second.listening(2)[0]
            for number in 20..<31 {
                let answer = try LarderProcess.get("/v1/itunes/search?q=word\(number)", at: again)
                #expect(answer.status == 200 || answer.status == 429, "\(number): \(answer)")
            }
            #expect(origin.requests.count <= 30, "more was called than the budget allows")
            try LarderProcess.awaitCommits(at: again)
            second.signal(SIGTERM)
            #expect(try second.waitForEnd() == .exited(0))
            let complaints = first.complaints() + second.complaints()
            #expect(complaints.allSatisfy { $0.contains("state.setAside") }, "\(complaints)")
        }
    }

    @Test func aLostRecordOfCallsIsForgivenAfterOneWindow() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        mkdir("\(directory.path)/state", 0o700)
        directory.write("state/state.db", String(repeating: "no database ", count: 1000))
        let time = ManualTime()
        let configuration = BasicScenarios.itunes(origin).replacing("quota: off", with: "quota: 5/h")
        for hour in 0..<2 {
            try await withLarder(configuration, time: time, directory: directory) { larder in
                for minutes in [0, 30, 29] {
                    time.advance(by: .seconds(minutes * 60))
                    let answer = try await larder.get("/v1/itunes/search?q=hour\(hour)+after\(minutes)")
                    #expect(answer.status == (hour == 0 ? 429 : 200), "\(answer)")
                }
            }
            time.advance(by: .seconds(120))
        }
        #expect(origin.requests.count == 3)
    }

    @Test func aSecondDaemonOnTheSameDirectoriesSaysSoAndHarmsNothing() async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let launch = LarderLaunch(TellingOrigin.configuration(origin, in: directory))
        let elsewhere = TellingOrigin.configuration(
            origin, cache: "\(directory.path)/cache", state: "\(directory.path)/other-state")
        try await onOwnThread {
            let first = try LarderProcess(launch, in: directory)
            let shop = try first.listening(2)[1]
            _ = try LarderProcess.get("/file/1", at: shop)
            for other in [launch, LarderLaunch(elsewhere)] {
                let second = try LarderProcess(other, in: directory)
                #expect(try second.waitForEnd() == .exited(1))
                #expect(second.standardOutput == "")
                #expect(
                    second.standardError.contains("another larder is using this directory"), "\(second.standardError)")
                #expect(second.standardError.contains(directory.path))
            }
            let hit = try LarderProcess.get("/file/1", at: shop)
            #expect(Self.isRight(hit, "/file/1"))
            #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true)
        }
    }

    @Test(arguments: ["cache", "state"])
    func aDirectoryThatCannotBeWrittenIsNamed(_ part: String) async throws {
        let origin = TellingOrigin.make()
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        // No user can create a directory below a file.
        let file = directory.write("file", "")
        var paths = ["cache": "\(directory.path)/cache", "state": "\(directory.path)/state"]
        paths[part] = "\(file)/\(part)"
        let launch = LarderLaunch(
            TellingOrigin.configuration(origin, cache: paths["cache"] ?? "", state: paths["state"] ?? ""))
        try await onOwnThread {
            let larder = try LarderProcess(launch, in: directory)
            #expect(try larder.waitForEnd() == .exited(1))
            #expect(larder.standardOutput == "")
            #expect(larder.standardError.contains("\(file)/\(part)"), "\(larder.standardError)")
            #expect(larder.standardError.split(separator: "\n").count == 1, "\(larder.standardError)")
        }
    }
}
