// Imgur, version 3 of its API (apidocs.imgur.com). It has admitted no new applications since 2025, so this source is
// for users with an older client id. Larder ships no client id, because Imgur blocks ids that programs ship.
import LarderCore

/// Pictures of Imgur's gallery.
public struct Imgur: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [ImgurSamples()] }

    public var about: ProviderAbout { Self.facts }

    public var uploads: (any UploadFormat)? { ImgurUploads() }

    static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "imgur", routePrefix: "imgur", title: "Imgur", defaultBaseURL: "https://api.imgur.com",
            pathPrefix: "/3",
            // An unchanged response (304) costs a credit like any other, so lifetimes save calls but validators do not.
            endpoints: [
                EndpointAbout(
                    "search", parameters: searchParameters, refusals: [.missingParameter, .conflict],
                    ttl: .seconds(600),
                    summary: "/3/gallery/search: a search of the gallery"),
                EndpointAbout(
                    "gallery", parameters: galleryParameters, refusals: [.conflict], ttl: .seconds(300),
                    summary: "/3/gallery/{hot|top|user}: the posts of that section"),
                EndpointAbout(
                    "tag", route: "tag/{tag}", captures: [tagCapture], parameters: tagParameters, refusals: [.conflict],
                    ttl: .seconds(600),
                    summary: "/3/gallery/t/{tag}: the posts with one tag"),
                EndpointAbout(
                    "subreddit", route: "r/{subreddit}", captures: [subredditCapture], parameters: subredditParameters,
                    refusals: [.conflict], ttl: .seconds(600),
                    summary: "/3/gallery/r/{subreddit}: the posts of one subreddit"),
                EndpointAbout(
                    "image", route: "image/{id}", captures: [idCapture("LmpA001")], ttl: .seconds(3600),
                    summary: "/3/image/{id}: one picture"),
                EndpointAbout(
                    "album", route: "album/{id}", captures: [idCapture("LmpAlb4")], ttl: .seconds(3600),
                    summary: "/3/album/{id}: an album's pictures"),
                EndpointAbout("tags", ttl: .seconds(86_400), summary: "/3/tags: the tags of the day"),
                EndpointAbout("credits", ttl: .seconds(60), summary: "/3/credits: the calls that are left"),
            ],
            emptyTTL: .seconds(600), negativeTTL: .seconds(3600), staleFor: .seconds(7 * 86_400),
            defaultRate: CallRate(calls: 500, per: .seconds(3600)),
            defaultQuota: CallRate(calls: 12_500, per: .seconds(86_400)), imageHosts: ["i.imgur.com"],
            categories: ["images", "gifs", "albums"], sorts: [.relevance, .name, .date], needsKey: true,
            keyVariables: ["LARDER_IMGUR_KEY", "IMGUR_CLIENT_ID"], credentialParameters: ["client_id"],
            credentialFieldNames: ["Authorization"],
            offers: "pictures of Imgur, albums shown by their pictures",
            terms: "Free for non-commercial use, with your own client id. Imgur gives out no new client ids.",
            attribution: "Imgur", normaliserVersion: 2, kinds: kinds)
        facts.keyNote =
            "Imgur's key is the Client-ID of an application. Since 2025 Imgur gives out no new ones; older ones work."
        facts.removedPictures = ["i.imgur.com/removed.png"]
        // Anyone with a delete hash can remove the picture.
        facts.secretMembers = ["deletehash"]
        // The account's own resources, and posts that only an account may see. All other responses are shared.
        var signIn = SignInAbout(
            authorizePath: "/oauth2/authorize", tokenPath: "/oauth2/token", responseTypes: [.token, .code],
            ownPaths: ["/3/account/me"], accountParameters: [.init("mature", "true")])
        signIn.clientIDTitle = "Client-ID"
        signIn.note = "Imgur admits no new applications, and its own sign-in page has failed since 2025."
        facts.signIn = signIn
        facts.uploads = ImgurUploads.facts
        return facts
    }()

    public func credentialFields(key: String) -> HeaderFields { ["Authorization": "Client-ID \(key)"] }
}

extension Imgur {
    /// "Client-ID" belongs to an application, "Bearer" to an account (apidocs.imgur.com).
    public func holder(ofAuthorization value: String) -> CredentialHolder { .of(value, scheme: "Client-ID") }
}
