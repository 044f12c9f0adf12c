// Uploads in one step and in two, and what happens to them when something goes wrong. Nothing is ever sent twice.
import Glibc
import LarderCore
import LarderHTTP
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct UploadScenarios {
    // MARK: One step

    @Test func aPictureInOneStepReachesImgurWithItsFieldsAndIsAnsweredWithItsDeleteHash() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let picture = UploadStand.picture()
        try await withLarder(stand.configuration()) { larder in
            let answer = try await larder.post(picture, type: "image/png", "?title=A+%22cat%22&album=AbC12")
            try #require(answer.status == 201, "\(answer)")
            let image = try #require(try answer.json()["image"])
            #expect(image["link"]?.string == "https://i.imgur.com/up00001.png")
            #expect(image["deletehash"]?.string?.count == 15)
            #expect(image["width"]?.integer == 640)
            #expect(answer["Location"]?.hasPrefix("/v1/uploads/") == true)
            let seen = try #require(stand.origin.uploads.first)
            #expect(seen.isWhole)
            #expect(seen.digest == Digest(of: picture))
            #expect(seen.form == ["type": "file", "title": "A \"cat\"", "album": "AbC12"])
            #expect(seen.file == MultipartPart(name: "image", filename: "upload.png", contentType: "image/png"))
            // The token is Larder's own and is not sent on.
            #expect(seen.request.fields.all("Authorization") == ["Client-ID c11e47"])
            #expect(try await larder.counter("larder_uploads_total", #"result="finished""#) == 1)
            #expect(try await larder.counter("larder_upload_bytes_total") == picture.count)
        }
    }

    @Test func aFormIsPassedOnWithTheFieldsOnBothSidesOfItsFile() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(300_000)
        let form =
            Bytes(
                text: "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nBär\r\n--b\r\nContent-Disposition: "
                    + "form-data; name=\"video\"; filename=\"/home/me/secret.mp4\"\r\nContent-Type: video/mp4\r\n\r\n")
            + film
            + Bytes(
                text: "\r\n--b\r\nContent-Disposition: form-data; name=\"description\"\r\n\r\nbehind\r\n--b--\r\n")
        try await withLarder(stand.configuration()) { larder in
            let answer = try await larder.post(form, type: "multipart/form-data; boundary=b", "?name=a.mp4")
            try #require(answer.status == 201, "\(answer)")
            let seen = try #require(stand.origin.uploads.first)
            #expect(seen.digest == Digest(of: film))
            #expect(seen.form == ["type": "file", "title": "Bär", "description": "behind", "name": "a.mp4"])
            #expect(seen.file == MultipartPart(name: "video", filename: "upload.mp4", contentType: "video/mp4"))
        }
    }

    @Test func whatCannotBeAnUploadIsRefusedBeforeImgurIsAsked() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let part = "--b\r\nContent-Disposition: form-data; name=\"image\""
        let refused: [(String, String, Bytes, Int)] = [
            ("a page", "image/png", Bytes(text: "<!DOCTYPE html><html></html>"), 415),
            ("another type", "text/plain", UploadStand.picture(), 415),
            (
                "base64 as a form of the web's first days", "application/x-www-form-urlencoded",
                Bytes(text: "image=aGk="), 415
            ),
            ("too large a picture", "image/png", UploadStand.picture(70_000), 413),
            ("no boundary", "multipart/form-data", Bytes(text: "\(part)\r\n\r\n"), 400),
            ("no file", "multipart/form-data; boundary=b", Bytes(text: "--b--\r\n"), 400),
            (
                "text for a file", "multipart/form-data; boundary=b",
                Bytes(text: "\(part)\r\n\r\nhttps://x/\r\n--b--\r\n"), 415
            ),
            ("half a form", "multipart/form-data; boundary=b", Bytes(text: "\(part); filename=\"a\"\r\n\r\n<x"), 400),
            (
                "another kind", "multipart/form-data; boundary=b",
                Bytes(text: "--b\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nbase64\r\n--b--\r\n"), 415
            ),
            (
                "an unknown field", "multipart/form-data; boundary=b",
                Bytes(text: "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--b--\r\n"), 400
            ),
        ]
        try await withLarder(stand.configuration("uploads: { maxSize: 64KiB }")) { larder in
            for (what, type, body, status) in refused {
                let answer = try await larder.post(body, type: type)
                #expect(answer.status == status, "\(what): \(answer)")
                #expect(answer["Content-Type"] == "application/problem+json", "\(what)")
                #expect(try answer.json()["code"]?.string != "clientLost", "\(what)")
            }
            let unknown = try await larder.send("POST", "/v1/imgur/images?x=1", fields: [UploadStand.signed])
            #expect(unknown.status == 400)
            #expect(stand.origin.requests(to: "/imgur") == 0)
            #expect(try await larder.counter("larder_uploads_under_way") == 0)
        }
    }

    @Test func aFormThatBreaksInTheMiddleOfItsFileNeverLooksWholeToImgur() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let form =
            Bytes(text: "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n")
            + UploadStand.picture(200_000)
        try await withLarder(stand.configuration()) { larder in
            let answer = try await larder.post(form, type: "multipart/form-data; boundary=b")
            #expect(answer.status == 400, "\(answer)")
            #expect(try answer.json()["code"]?.string == "malformed")
            try await larder.eventually("Imgur sees the end") { stand.origin.uploads.allSatisfy { $0.wasCutOff } }
            #expect(!stand.origin.uploads.contains { $0.isWhole })
        }
    }

    @Test func everythingAboutUploadsNeedsAuthority() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        try await withLarder(stand.configuration()) { larder in
            let id = try await larder.newUpload()
            let asked = [
                ("POST", "/v1/imgur/images"), ("PUT", "/v1/uploads/\(id)/content"), ("GET", "/v1/uploads/\(id)"),
                ("GET", "/v1/uploads/\(id)/events"), ("POST", "/v1/uploads/\(id)/pause"),
                ("POST", "/v1/uploads/\(id)/resume"), ("DELETE", "/v1/uploads/\(id)"),
                ("DELETE", "/v1/imgur/images/abc"),
            ]
            for (method, target) in asked {
                let body = method == "PUT" ? "x" : ""
                #expect(try await larder.send(method, target, body: body).status == 401, "\(method) \(target)")
                let foreign = try await larder.send(
                    method, target, fields: [UploadStand.signed, ("Origin", "http://evil.example")], body: body)
                #expect(foreign.status == 403, "\(method) \(target)")
            }
            #expect(try await larder.state(id) == "waiting")
            #expect(stand.origin.requests(to: "/imgur") == 0)
            #expect(try await larder.get("/v1/uploads/unknown", UploadStand.signed).status == 404)
        }
    }

    // MARK: Imgur's own word

    @Test(arguments: [
        (403, "Malformed auth header.", 502, "refused"), (429, "Rate limit", 429, "limited"),
        (400, "File type invalid", 400, "invalidRequest"), (400, "You are uploading too fast.", 429, "limited"),
        (500, "Internal", 502, "broken"),
    ])
    func whatImgurRefusesIsSaidAndNotTriedAgain(
        _ status: Int, _ text: String, _ told: Int, _ word: String
    ) async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let body =
            #"{"data":{"error":"\#(text)","request":"/3/image","method":"POST"},"success":false,"status":\#(status)}"#
        for isEarly in [false, true] {
            let answer = OriginAnswer(
                status: status, fields: ["Content-Type": "application/json"], body: Bytes(text: body))
            stand.origin.script(UploadStand.route, [isEarly ? .early(answer) : .answer(answer)])
            try await withLarder(stand.configuration()) { larder in
                let calls = stand.origin.requests(to: UploadStand.route)
                let answer = try await larder.post(UploadStand.film(1 << 20), type: "video/mp4")
                #expect(answer.status == told, "\(isEarly): \(answer)")
                #expect(try answer.json()["class"]?.string == word, "\(isEarly)")
                #expect(stand.origin.requests(to: UploadStand.route) == calls + 1, "\(isEarly)")
            }
        }
    }

    @Test func aSpentBudgetSendsNothing() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        try await withLarder(stand.configuration(imgur: ", rate: 1/h")) { larder in
            #expect(try await larder.post(UploadStand.picture(), type: "image/png").status == 201)
            let answer = try await larder.post(UploadStand.picture(), type: "image/png")
            #expect(answer.status == 429, "\(answer)")
            #expect(stand.origin.requests(to: UploadStand.route) == 1)
            #expect(try await larder.counter("larder_uploads_total", #"result="notSent""#) == 1)
        }
    }

    /// The file was not sent, so sending it again makes no second picture.
    @Test func anUploadWhoseConnectionIsRefusedWasNotSent() async throws {
        let closed = LoopbackPort()
        let configuration = """
            admin: { token: \(UploadStand.token) }
            providers: { imgur: { baseURL: "http://127.0.0.1:\(closed.number)", key: c11e47 } }
            """
        try await withLarder(configuration) { larder in
            let answer = try await larder.post(UploadStand.picture(), type: "image/png")
            #expect(answer.status == 502, "\(answer)")
            #expect(try answer.json()["retryable"]?.bool == true, "\(answer)")
            #expect(try await larder.counter("larder_uploads_total", #"result="notSent""#) == 1)
            #expect(try await larder.counter("larder_uploads_total", #"result="upstreamLost""#) == 0)
        }
        withExtendedLifetime(closed) {}
    }

    // MARK: Two steps

    @Test func statesAreToldInTheirOrder() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(600_000)
        let gate = Gate()
        let listening = Gate()
        try await withLarder(stand.configuration()) { larder in
            let id = try await larder.newUpload()
            async let told = larder.talk { client -> [(String, JSONValue)] in
                try client.send(
                    "GET /v1/uploads/\(id) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                        + "Authorization: Bearer \(UploadStand.token)\r\nConnection: close\r\n\r\n")
                let head = try client.receiveHead()
                guard head.status == 200, head["Content-Type"] == "text/event-stream" else {
                    throw WireError("\(head)")
                }
                listening.open()
                return try Self.events(try client.receiveRest())
            }
            await listening.pass()
            async let answer = larder.put(id, film, first: 300_000, then: gate)
            try await larder.eventually("some is sent") { try await larder.upload(id)["sent"]?.integer ?? 0 > 200_000 }
            #expect(try await larder.command(id, "pause").status == 200)
            #expect(try await larder.state(id) == "paused")
            #expect(try await larder.command(id, "pause").status == 200)
            gate.open()
            #expect(try await larder.command(id, "resume").status == 200)
            let finished = try #require(try await answer)
            #expect(finished.status == 200, "\(finished)")
            #expect(try finished.json()["image"]?["deletehash"]?.string != nil)
            let events = try await told
            let states = events.filter { $0.0 == "state" }.compactMap { $0.1["state"]?.string }
            #expect(states == ["waiting", "running", "paused", "running", "finished"])
            let sent = events.compactMap { $0.1["sent"]?.integer }
            #expect(sent == sent.sorted())
            #expect(events.last?.1["sent"]?.integer == film.count)
            #expect(events.last?.1["total"]?.integer == film.count)
            #expect(stand.origin.uploads.map(\.digest) == [Digest(of: film)])
        }
    }

    /// The names and data of the events in a chunked body.
    private static func events(_ body: Bytes) throws -> [(String, JSONValue)] {
        var events: [(String, JSONValue)] = []
        var name = ""
        for line in body.lossyText.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") {
                events.append((name, try JSON.parse(Bytes(text: String(line.dropFirst(6))))))
            }
        }
        return events
    }

    @Test func contentComesOnceAndNotAfterTheEnd() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(400_000)
        let gate = Gate()
        try await withLarder(stand.configuration()) { larder in
            let id = try await larder.newUpload("?title=x")
            async let first = larder.put(id, film, first: 200_000, then: gate)
            try await larder.eventually("it runs") { try await larder.state(id) == "running" }
            let second = try #require(try await larder.put(id, film))
            #expect(second.status == 409, "\(second)")
            gate.open()
            #expect(try await first?.status == 200)
            let third = try #require(try await larder.put(id, film))
            #expect(third.status == 409, "\(third)")
            for word in ["pause", "resume"] { #expect(try await larder.command(id, word).status == 409, "\(word)") }
            #expect(try await larder.cancel(id).status == 409)
            #expect(stand.origin.uploads.count == 1)
            #expect(stand.origin.uploads.first?.form["title"] == "x")
        }
    }

    @Test func aCancelledUploadLeavesNothing() async throws {
        let film = UploadStand.film(4 << 20)
        for isPaused in [false, true] {
            let gate = Gate()
            let stand = try UploadStand()
            defer { stand.origin.stop() }
            try await withLarder(stand.configuration()) { larder in
                let before = UploadStand.files(of: larder)
                let id = try await larder.newUpload()
                async let answer = larder.put(id, film, first: 1 << 20, then: gate)
                try await larder.eventually("some arrives") { stand.origin.uploads.first?.count ?? 0 > 500_000 }
                if isPaused { #expect(try await larder.command(id, "pause").status == 200) }
                #expect(try await larder.cancel(id).status == 200)
                gate.open()
                let told = try await answer
                #expect(told == nil || told?.status == 409, "\(String(describing: told))")
                try await larder.eventually("Imgur sees the end") { stand.origin.uploads.first?.wasCutOff == true }
                #expect(stand.origin.uploads.count == 1)
                #expect(stand.origin.uploads.first?.isWhole == false)
                let upload = try await larder.upload(id)
                #expect(upload["state"]?.string == "cancelled")
                #expect(upload["mayExist"] == nil)
                #expect(try await larder.counter("larder_uploads_under_way") == 0)
                #expect(try await larder.counter("larder_uploads_total", #"result="cancelled""#) == 1)
                #expect(UploadStand.files(of: larder) == before)
            }
        }
    }

    @Test func aClientThatLeavesInTheMiddleEndsItsUpload() async throws {
        for isPaused in [false, true] {
            let stand = try UploadStand()
            defer { stand.origin.stop() }
            let film = UploadStand.film(2 << 20)
            let gate = Gate()
            try await withLarder(stand.configuration()) { larder in
                let id = try await larder.newUpload()
                async let left: Void = larder.talk { client in
                    try client.send(UploadStand.head("PUT", "/v1/uploads/\(id)/content", length: film.count))
                    // While the upload is paused, the daemon reads no more than fits into its socket. The end of the
                    // connection comes after the last byte. Bytes missing at the pause must therefore fit there.
                    try client.send(Bytes(film.prefix(600_000)))
                    gate.wait()
                }
                try await larder.eventually("most of it arrives") { stand.origin.uploads.first?.count ?? 0 > 550_000 }
                if isPaused { #expect(try await larder.command(id, "pause").status == 200) }
                gate.open()
                try await left
                try await larder.eventually("it failed") { try await larder.state(id) == "failed" }
                let upload = try await larder.upload(id)
                #expect(upload["error"]?["code"]?.string == "clientLost")
                try await larder.eventually("Imgur sees the end") { stand.origin.uploads.first?.wasCutOff == true }
                #expect(stand.origin.requests(to: UploadStand.route) == 1)
                #expect(stand.origin.uploads.first?.isWhole == false)
            }
        }
    }

    @Test func aLostConnectionToImgurIsSaidPlainlyAndNothingIsSentAgain() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(2 << 20)
        let faults: [(Fault, Bool)] = [(.cut(after: 500_000), false), (.closed, true)]
        for (fault, isAllSent) in faults {
            stand.origin.script(UploadStand.route, [fault])
            try await withLarder(stand.configuration()) { larder in
                let calls = stand.origin.requests(to: UploadStand.route)
                let id = try await larder.newUpload()
                let answer =
                    isAllSent ? try await larder.put(id, film) : try await larder.putBeginning(id, film, 600_000)
                #expect(answer?.status == 502, "\(fault): \(String(describing: answer))")
                #expect(try answer?.json()["retryable"]?.bool == false, "\(fault)")
                let upload = try await larder.upload(id)
                #expect(upload["state"]?.string == "failed")
                #expect(upload["error"]?["code"]?.string == "upstreamLost")
                #expect(upload["mayExist"]?.bool == (isAllSent ? true : nil), "\(fault)")
                #expect(stand.origin.requests(to: UploadStand.route) == calls + 1, "\(fault)")
            }
        }
    }

    @Test func aPausedUploadIsHeldToNoLimitButItsOwn() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(1 << 20)
        let gate = Gate()
        let usual = stand.configuration("server: { loops: 1 }\nfetch: { deadline: 2s }")
        let short = stand.configuration(
            "server: { loops: 1, headTimeout: 2s, bodyTimeout: 2s, writeTimeout: 2s, idleTimeout: 2s }\n"
                + "fetch: { deadline: 2s }")
        try await withLarder(usual) { larder in
            let id = try await larder.newUpload()
            async let answer = larder.put(id, film, first: 300_000, then: gate)
            try await larder.eventually("some is sent") { try await larder.upload(id)["sent"]?.integer ?? 0 > 100_000 }
            #expect(try await larder.command(id, "pause").status == 200)
            // All other limits are shorter than the pause. Those of connections are short only meanwhile: a slow
            // machine could need longer for its requests.
            await larder.reload(short)
            // An idle connection of another client times out in the meantime, twice.
            for _ in 0..<2 {
                let idle = try await larder.talk { $0 }
                #expect(try await onOwnThread { try idle.isClosed() })
            }
            await larder.reload(usual)
            #expect(try await larder.state(id) == "paused")
            #expect(try await larder.command(id, "resume").status == 200)
            gate.open()
            let finished = try #require(try await answer)
            #expect(finished.status == 200, "\(finished)")
            #expect(stand.origin.uploads.map(\.digest) == [Digest(of: film)])
        }
    }

    @Test func aPauseBeyondItsLimitFailsTheUpload() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(1 << 20)
        let gate = Gate()
        try await withLarder(stand.configuration("uploads: { maxPause: 200ms }")) { larder in
            let id = try await larder.newUpload()
            async let answer = larder.put(id, film, first: 300_000, then: gate)
            try await larder.eventually("some is sent") { try await larder.upload(id)["sent"]?.integer ?? 0 > 100_000 }
            #expect(try await larder.command(id, "pause").status == 200)
            try await larder.eventually("it failed") { try await larder.state(id) == "failed" }
            #expect(try await larder.upload(id)["error"]?["code"]?.string == "pausedTooLong")
            gate.open()
            let told = try await answer
            #expect(told == nil || told?.status == 408, "\(String(describing: told))")
            try await larder.eventually("Imgur sees the end") { stand.origin.uploads.first?.wasCutOff == true }
        }
    }

    @Test func uploadsAreBounded() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        try await withLarder(stand.configuration("uploads: { maxEntries: 2, atOnce: 1, maxFilm: 1MiB }")) { larder in
            let (one, two) = (try await larder.newUpload(), try await larder.newUpload())
            #expect(try await larder.send("POST", "/v1/imgur/images", fields: [UploadStand.signed]).status == 503)
            let gate = Gate()
            async let first = larder.put(one, UploadStand.film(300_000), first: 100_000, then: gate)
            try await larder.eventually("it runs") { try await larder.state(one) == "running" }
            #expect(try await larder.put(two, UploadStand.film(2000))?.status == 503)
            #expect(try await larder.state(two) == "waiting")
            gate.open()
            #expect(try await first?.status == 200)
            // The file is larger than permitted, but its length was not announced.
            let film = UploadStand.film(2 << 20)
            let tooLarge = try await larder.talk { client in
                try client.send(UploadStand.head("PUT", "/v1/uploads/\(two)/content", length: nil))
                do {
                    for start in stride(from: 0, to: film.count, by: 65_536) {
                        try client.send("10000\r\n")
                        try client.send(Bytes(film[start..<start + 65_536]) + [0x0D, 0x0A])
                    }
                } catch {
                    // The daemon answered and closed before it had everything.
                }
                return try? client.receive()
            }
            #expect(tooLarge == nil || tooLarge?.status == 413, "\(String(describing: tooLarge))")
            #expect(try await larder.upload(two)["error"]?["code"]?.string == "tooLarge")
            #expect(stand.origin.uploads.filter(\.isWhole).count == 1)
            // An upload that has ended gives its place to the next.
            _ = try await larder.newUpload()
            #expect(try await larder.get("/v1/uploads/\(one)", UploadStand.signed).status == 404)
        }
    }

    // MARK: Deleting

    @Test func deletingTakesThePictureDownAndItsCachedCopiesToo() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let lines = Lock("")
        let log = Logger(label: "larder", threshold: .debug, sink: KeptLog(lines))
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: imgur }"#]
        let configuration = stand.configuration("log: { level: debug, access: all }")
        try await withLarder(configuration, listen: listen, log: log) { larder in
            let made = try await larder.post(UploadStand.picture(), type: "image/png")
            let hash = try #require(try made.json()["image"]?["deletehash"]?.string)
            let target = "/v1/imgur/images/\(hash)"
            #expect(try await larder.send("DELETE", target).status == 401)
            let deleted = try await larder.send("DELETE", target, fields: [UploadStand.signed])
            #expect(deleted.status == 200, "\(deleted)")
            #expect(try deleted.json()["id"]?.string == "up00001")
            #expect(stand.origin.log(of: "/imgur/3/image/\(hash)").map(\.method) == [.delete])
            let again = try await larder.send("DELETE", target, fields: [UploadStand.signed])
            #expect(again.status == 404, "\(again)")
            #expect(try again.json()["class"]?.string == "notFound")
            let encoded = target.replacing("images", with: "%69mages")
            #expect(try await larder.send("DELETE", encoded, fields: [UploadStand.signed]).status == 404)
            #expect(try await larder.send("DELETE", "\(target)%2F", fields: [UploadStand.signed]).status == 400)
            for wrong in [
                "/\(target)", "/v1/imgur//images/\(hash)", "/v1/imgur/images%2F\(hash)", "/raw/imgur/3/image/\(hash)",
            ] {
                #expect(try await larder.send("DELETE", wrong, fields: [UploadStand.signed]).status >= 400, "\(wrong)")
            }
            let bound = try await larder.send("DELETE", "/3/image/\(hash)", to: larder.addresses[1])
            #expect(bound.status == 405, "\(bound)")
            // The hash is as good as a key. It must appear nowhere but in the answer.
            let said = lines.withLock { $0 }
            #expect(said.contains("/v1/imgur/images/…"))
            #expect(!said.contains(hash))
            let explained = try await larder.get("/v1/explain/\(deleted["X-Request-Id"] ?? "")")
            #expect(!explained.text.contains(hash))
        }
    }
}
