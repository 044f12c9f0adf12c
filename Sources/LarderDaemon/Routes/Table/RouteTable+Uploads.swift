// The upload routes. Uploads begin at their provider's path, and files are deleted there. Uploads of all providers are
// filled, watched, paused, resumed and cancelled at one common path.
import LarderCore
import LarderEngine
import LarderProviders

extension RouteTable {
    /// The upload routes of a provider that accepts files.
    static func uploads(_ about: ProviderAbout) -> RouteGroup? {
        guard let facts = about.uploads else { return nil }
        let collection = "/v1/\(about.routePrefix)/\(facts.collection)"
        let (name, removal) = (about.name, facts.removalName)
        return RouteGroup(
            line: "[upload](Docs/\(about.name)-uploads.md) to \(about.title), and delete there",
            routes: [
                Route(
                    methods: [.post], pattern: collection, name: "\(about.name)Upload",
                    summary: "Upload a file, or begin an upload.",
                    parameters: facts.fields.map { .query($0.record) },
                    answers: [
                        RouteAnswer(
                            201, "The file is uploaded, or the upload has begun: see Location.", .schema(.upload))
                    ]
                        + refusals(by: about.title),
                    refusals: [.emptyBody, .malformed, .notMedia],
                    bodies: ["image/*", "video/*", "application/octet-stream", "multipart/form-data"],
                    needsAuthority: true, takesStream: true
                ) { parts, call throws(ClientFacingError) in
                    try await parts.uploads.create(call.request, at: name, route: call.name)
                },
                Route(
                    methods: [.delete], pattern: "\(collection)/{\(removal)}", name: "\(about.name)Delete",
                    summary: "Delete an uploaded picture.",
                    parameters: [.path(removal, "The member of this name in the upload's answer.", facts.removalForm)],
                    answers: [
                        RouteAnswer(200, "Deleted.", .schema(.deleted)),
                        RouteAnswer(400, "This does not name a picture."),
                        RouteAnswer(404, "\(about.title) has no such picture."),
                        RouteAnswer(429, "The budget is spent."), RouteAnswer(502, "\(about.title) failed or refused."),
                        RouteAnswer(503, "The provider is suspended or not configured."),
                        RouteAnswer(504, "\(about.title) was too slow."),
                    ], needsAuthority: true
                ) { parts, call throws(ClientFacingError) in
                    try await parts.uploads.delete(call.captured(removal), at: name, route: call.name)
                },
            ])
    }

    /// The routes of an upload, whichever provider accepts it.
    static let uploading = RouteGroup(
        line: "an upload: its file, its progress, pause, resume, cancel",
        routes: [
            upload(
                .content, [.put], "/content", "Send the file of an upload.",
                [RouteAnswer(200, "Uploaded.", .schema(.upload)), RouteAnswer(404, "No such upload.")]
                    + refusals(by: takers), bodies: ["image/*", "video/*", "application/octet-stream"]),
            upload(.status, [.get], "", "An upload's state.", made),
            upload(.cancel, [.delete], "", "Cancel an upload.", made),
            upload(
                .events, [.get], "/events", "An upload's states and progress as server-sent events.",
                [
                    RouteAnswer(200, "Its states and progress.", .events(["state": .upload, "progress": .upload])),
                    RouteAnswer(404, "No such upload."), RouteAnswer(503, "Too many event streams are open."),
                ]),
            upload(.pause, [.post], "/pause", "Pause an upload.", made),
            upload(.resume, [.post], "/resume", "Resume a paused upload.", made),
        ])

    private static let made = [
        RouteAnswer(200, "The upload's state.", .schema(.upload)), RouteAnswer(404, "No such upload."),
        RouteAnswer(409, "The upload's state does not allow it."),
    ]

    private static func upload(
        _ act: UploadAct, _ methods: [Method], _ end: String, _ summary: String, _ answers: [RouteAnswer],
        bodies: [String] = []
    ) -> Route {
        Route(
            methods: methods, pattern: "/v1/uploads/{id}\(end)", name: "upload", summary: summary,
            parameters: [.path("id", "The id from the Location of the 201 answer.", .pattern("^[A-Za-z0-9_-]{1,64}$"))],
            answers: answers, refusals: act == .content ? [.emptyBody, .notMedia] : [], bodies: bodies,
            needsAuthority: true,
            takesStream: act == .content
        ) { parts, call throws(ClientFacingError) in
            try await parts.uploads.act(act, on: call.captured("id"), call.request, route: call.name)
        }
    }

    /// The titles of the providers that accept files.
    private static let takers = ProviderRegistry.builtIn.filter { $0.about.uploads != nil }.map(\.about.title)
        .joined(separator: " or ")

    /// Why a file may be refused.
    private static func refusals(by title: String) -> [RouteAnswer] {
        [
            RouteAnswer(400, "The form is malformed, or \(title) refuses the file."),
            RouteAnswer(409, "The upload's state does not allow it."), RouteAnswer(413, "Too large."),
            RouteAnswer(415, "The content is not a picture or film, or is base64 or a URL."),
            RouteAnswer(502, "\(title) failed or refused. Larder does not try again."),
            RouteAnswer(503, "There are too many uploads, or \(title) is not configured."),
        ]
    }
}
