// `larder imgur upload` and `delete` as a person runs them: the program itself, with a daemon and the stand-in.
import Glibc
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct UploadCommandScenarios {
    private func larder(_ words: String..., at larder: RunningLarder) throws -> CommandProcess {
        try CommandProcess(
            words, environment: ["LARDER_URL": "http://\(larder.address)", "LARDER_TOKEN": UploadStand.token],
            in: larder.directory)
    }

    private func file(_ content: Bytes, in directory: TemporaryDirectory, _ name: String) throws -> String {
        let path = directory.write(name, "")
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(content, 1, content.count, file) == content.count)
        return path
    }

    @Test func aFileIsUploadedAndTakenDownAgain() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let film = UploadStand.film(3 << 20)
        try await withLarder(stand.configuration()) { running in
            let path = try file(film, in: running.directory, "cat.mp4")
            let upload = try larder("imgur", "upload", path, "--title", "A cat", "--mute", at: running)
            let end = try await onOwnThread { upload.waitForEnd() }
            #expect(end == .exited(0), "\(upload.errors)")
            let image = try #require(try JSON.parse(Bytes(text: upload.output))["image"])
            #expect(image["link"]?.string == "https://i.imgur.com/up00001.mp4")
            #expect(upload.errors.hasSuffix("sent 100 % of 3 MiB\n"), "\(upload.errors)")
            let seen = try #require(stand.origin.uploads.first)
            #expect(seen.digest == Digest(of: film))
            #expect(seen.form == ["type": "file", "title": "A cat", "disable_audio": "1"])
            let hash = try #require(image["deletehash"]?.string)
            let delete = try larder("imgur", "delete", hash, at: running)
            #expect(try await onOwnThread { delete.waitForEnd() } == .exited(0), "\(delete.errors)")
            let again = try larder("imgur", "delete", hash, at: running)
            // The status says that no such picture exists.
            #expect(try await onOwnThread { again.waitForEnd() } == .exited(3), "\(again.errors)")
        }
    }

    @Test func theExitStatusSaysWhatWentWrong() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        stand.origin.script(UploadStand.route, [.cut(after: 500_000)])
        try await withLarder(stand.configuration()) { running in
            let film = try file(UploadStand.film(2 << 20), in: running.directory, "cat.mp4")
            let page = try file(Bytes(text: "<html></html>"), in: running.directory, "cat.html")
            for (path, status) in [(film, Int32(6)), (page, 2), ("\(running.directory.path)/none", 2)] {
                let upload = try larder("imgur", "upload", path, at: running)
                #expect(try await onOwnThread { upload.waitForEnd() } == .exited(status), "\(path): \(upload.errors)")
                #expect(upload.output.isEmpty)
            }
        }
    }

    @Test func ctrlCEndsAlsoWhatTheDaemonHasNotAnsweredYet() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        let asked = "/v1/imgur/images"
        stand.origin.script(asked, [.silent])
        let directory = TemporaryDirectory()
        let path = try file(UploadStand.film(1000), in: directory, "cat.mp4")
        let upload = try CommandProcess(
            ["imgur", "upload", path, "--timeout", "1h"],
            environment: ["LARDER_URL": stand.origin.root, "LARDER_TOKEN": UploadStand.token], in: directory)
        await stand.origin.arrival(of: 1, to: asked)
        upload.signal(SIGINT)
        let end = try await onOwnThread { upload.waitForEnd() }
        #expect(end == .exited(128 + SIGINT), "\(upload.errors)")
    }

    @Test func ctrlCEndsTheUploadInTheDaemonAndAtImgur() async throws {
        let stand = try UploadStand()
        defer { stand.origin.stop() }
        stand.origin.script(UploadStand.route, [.stalled(after: 1 << 20)])
        try await withLarder(stand.configuration()) { running in
            let path = try file(UploadStand.film(30 << 20), in: running.directory, "cat.mp4")
            let upload = try larder("imgur", "upload", path, at: running)
            try await running.eventually("some of it arrives") { stand.origin.uploads.first?.count ?? 0 >= 900_000 }
            upload.signal(SIGINT)
            let end = try await onOwnThread { upload.waitForEnd() }
            #expect(end == .exited(128 + SIGINT), "\(upload.errors)")
            #expect(upload.errors.hasSuffix("cancelled\n"), "\(upload.errors)")
            #expect(try await running.counter("larder_uploads_total", #"result="cancelled""#) == 1)
            #expect(try await running.counter("larder_uploads_under_way") == 0)
            stand.origin.release()
            try await running.eventually("Imgur sees the end") { stand.origin.uploads.first?.wasCutOff == true }
        }
    }
}
