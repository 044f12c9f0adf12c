import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ImgurUploadsTests {
    private let uploads = ImgurUploads()

    private func answer(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 1))
    }

    @Test func failuresAreToldByTheirContent() {
        let known: [(Int, String, String)] = [
            (200, #"{"data":{"id":"a","link":"https://i.imgur.com/a.png"},"success":true,"status":200}"#, "data"),
            (200, #"{"data":true,"success":true,"status":200}"#, "data"),
            (200, "<html>over capacity</html>", "broken"),
            (200, #"{"data":{"error":"No file"},"success":false,"status":400}"#, "invalidRequest"),
            (400, #"{"data":{"error":{"code":1003,"message":"File type invalid"}},"success":false}"#, "invalidRequest"),
            (400, #"{"data":{"error":{"message":"You are uploading too fast."}},"success":false}"#, "limited"),
            (403, #"{"data":{"error":"Malformed auth header."},"success":false,"status":403}"#, "refused"),
            (403, #"{"data":{"error":"Imgur is temporarily over capacity."},"success":false}"#, "limited"),
            (429, #"{"errors":[{"id":"x","code":"429","status":"Too Many Requests"}]}"#, "limited"),
            (404, #"{"data":{"error":"Unable to find an image"},"success":false,"status":404}"#, "notFound"),
            (503, "<html>Varnish</html>", "broken"),
        ]
        for (status, body, word) in known {
            #expect(uploads.classify(answer(status, body)).word == word, "\(body)")
        }
        // Before the body is there, the head is classified only as far as it is certain: a refusal may concern the file
        // or the client.
        for (status, word) in [
            (200, "data"), (400, "invalidRequest"), (403, "invalidRequest"), (429, "limited"), (502, "broken"),
        ] {
            #expect(uploads.classifyHead(answer(status, "")).word == word)
        }
        let spent: HeaderFields = ["X-RateLimit-UserRemaining": "0", "X-RateLimit-UserReset": "1800"]
        #expect(uploads.classifyHead(answer(429, "", spent)) == .limited(until: WallTime(seconds: 1801)))
    }

    @Test func thePictureIsReadWithItsDeleteHash() throws {
        let body = """
            {"data":{"id":"orunSTu","title":null,"description":"","datetime":1495556889,"type":"image/gif","animated":false,
            "width":1,"height":2,"size":42,"views":0,"bandwidth":0,"deletehash":"x70po4w7BVvSUzZ","name":"",
            "link":"http://i.imgur.com/orunSTu.gif"},"success":true,"status":200}
            """
        let image = try #require(uploads.image(in: Bytes(text: body)))
        #expect(image.id == "orunSTu")
        #expect(image.link == "https://i.imgur.com/orunSTu.gif")
        #expect(image.removal == "x70po4w7BVvSUzZ")
        #expect(image.width == 1 && image.height == 2 && image.size == 42)
        #expect(image.description == nil)
        #expect(uploads.image(in: Bytes(text: #"{"data":true,"success":true}"#)) == nil)
        #expect(uploads.image(in: Bytes(text: "no")) == nil)
    }

    @Test func fieldsAreCheckedAndKeptInOneOrder() throws {
        let query = try QueryParameters(parsing: "name=a.png&title=A+cat&album=AbC12&disable_audio=true&description=")
        let fields = try UploadFields(uploads, query)
        let form = fields.form.map { "\($0.name)=\($0.value)" }
        #expect(form == ["type=file", "title=A cat", "album=AbC12", "name=a.png", "disable_audio=1"])
        let long = String(repeating: "x", count: UploadFields.maxValue + 1)
        let wrong = [
            ("x=1", 400), ("title=a&title=b", 400), ("album=../x", 400), ("disable_audio=maybe", 400),
            ("type=base64", 415),
            ("type=URL", 415), ("title=\(long)", 400),
        ]
        for (text, status) in wrong {
            let query = try QueryParameters(parsing: text)
            #expect { try UploadFields(uploads, query) } throws: {
                ($0 as? ClientFacingError)?.status == status
            }
        }
    }

    @Test func whoeverTellsOfUploadsKnowsHowFilesReachIt() {
        for provider in ProviderRegistry.builtIn {
            #expect(provider.uploads?.about == provider.about.uploads, "\(provider.about.name)")
        }
    }

    @Test func onlyWhatMayBeAHashBecomesAPath() {
        #expect(uploads.removalPath(of: "x70po4w7BVvSUzZ") == "/3/image/x70po4w7BVvSUzZ")
        for bad in ["", "..", "a/b", "a?b", "ä", String(repeating: "a", count: 65)] {
            #expect(uploads.removalPath(of: bad) == nil, "\(bad)")
        }
    }
}
