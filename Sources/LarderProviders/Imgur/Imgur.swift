// Imgur, version 3 of its API (apidocs.imgur.com). It has admitted no new applications since 2025, so this source is
// for users with an older client id. Larder ships no client id, because Imgur blocks ids that programs ship. This file
// holds the facts and the questions.
import LarderCore

extension ProviderSpec {
    static let imgur = ProviderSpec(
        facts: facts,
        questions: [
            search, gallery,
            list(
                ImgurPaths.tag, "tag/{tag}", "/3/gallery/t/{tag}", [word("tag", "The tag.", example: "lantern")],
                summary: "the posts with one tag"),
            list(
                ImgurPaths.subreddit, "r/{subreddit}", "/3/gallery/r/{subreddit}",
                [word("subreddit", "The subreddit.", example: "pics")], summary: "the posts of one subreddit"),
            one("image", example: "LmpA001", more: ["/3/gallery/r/{subreddit}/{id}"], summary: "one picture"),
            one("album", example: "LmpAlb4", more: [], summary: "an album's pictures"), tags, credits,
        ], search: "search",
        searches: [
            SearchRow(category: "gifs", term: "q_all", values: ["q_type": "anigif"]),
            SearchRow(category: "albums", term: "q_all", values: ["q_type": "album"]),
        ],
        usualCategory: "images",
        // It does not tell whether a picture is animated or belongs to an album.
        categoryKinds: ["images": ["image"]],
        paths: ImgurPaths.function,
        classification: ImgurFailure.classification,
        keyIn: .field("Authorization", scheme: "Client-ID"),
        // "Client-ID" belongs to an application, "Bearer" to an account (apidocs.imgur.com).
        applications: ("Client-ID", allowsBare: false), credits: ImgurCredits.function, uploads: ImgurUploads())

    // An unchanged response (304) costs a credit like any other, so lifetimes save calls but validators do not.
    private static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "imgur", routePrefix: "imgur", title: "Imgur", defaultBaseURL: "https://api.imgur.com",
            pathPrefix: "/3", endpoints: [], emptyTTL: .seconds(600), negativeTTL: .seconds(3600),
            staleFor: .seconds(7 * 86_400), defaultRate: CallRate(calls: 500, per: .seconds(3600)),
            defaultQuota: CallRate(calls: 12_500, per: .seconds(86_400)), imageHosts: ["i.imgur.com"],
            categories: ["images", "gifs", "albums"], sorts: [.relevance, .name, .date], needsKey: true,
            keyVariables: ["LARDER_IMGUR_KEY", "IMGUR_CLIENT_ID"], credentialParameters: ["client_id"],
            credentialFieldNames: ["Authorization"],
            offers: "pictures of Imgur, albums shown by their pictures",
            terms: "Free for non-commercial use, with your own client id. Imgur gives out no new client ids.",
            attribution: "Imgur", normaliserVersion: 2)
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

    /// If one of these is given, the API ignores `q`.
    private static let narrower = [
        QuestionParameter.text("q_all", "Words of which all must match.", example: "lantern"),
        .text("q_any", "Words of which one must match.", example: "lantern octopus"),
        .text("q_exactly", "A phrase: words in this order.", example: "lantern in the fog"),
        .text("q_not", "Words that must not match.", example: "cat"),
        .choice("q_type", ["jpg", "png", "gif", "anigif", "album"], "The type of the pictures.", example: "jpg")
            .lowerCase,
        // At most 500, 2,000, 5,000 and 10,000 pixels, and larger.
        .choice("q_size_px", ["small", "med", "big", "lrg", "huge"], "The size of the pictures.", example: "med")
            .lowerCase,
    ]

    private static let search = list(
        ImgurPaths.search, "search", "/3/gallery/search",
        [.text("q", "The search term.", example: "lantern").or("query").term] + narrower,
        rules: [
            .without(
                "q", others: narrower.map(\.name),
                sentence: "Imgur ignores \"q\" if \"{first}\" is given: use \"q_all\" instead."),
            .oneOf(
                ["q"] + narrower.map(\.name), blamed: "q",
                sentence: "A search needs one of: q, \(narrower.map(\.name).joined(separator: ", "))."),
        ], summary: "a search of the gallery")

    /// `sort` accepts the API's words and the common ones; order by date uses the API's order by time.
    private static func sort(_ sorts: [String]) -> QuestionParameter {
        .sort(sorts + facts.sorts.map(\.rawValue)).unsent.sent {
            $0.standsFor = ["relevance": ["sort": sorts[0]]]
            ($0.words, $0.sendsOtherWords) = (["name": sorts[0], "date": "time"], true)
        }
    }

    private static let window = QuestionParameter.choice(
        "window", ImgurPaths.windows, "The span of time; only together with top."
    ).unsent
    /// The most pictures shown of one page. A page has about sixty posts, and an album gives several pictures.
    private static let paging: [QuestionParameter] = [
        .page(10_000).unsent.sent { ($0.isFromZero, $0.isKeyedAtDefault) = (true, false) },
        .limit(1...500).unsent, .explicit.unsent.sent { $0.isKeyedAtDefault = false },
    ]

    private static func list(
        _ list: ImgurPaths, _ route: String, _ path: String, _ own: [QuestionParameter], rules: [QuestionRule] = [],
        summary: String
    ) -> QuestionSpec {
        let window = window.sent {
            $0.defaultBy = .init(parameter: "sort", defaults: ["top": list.window ?? ""])
            $0.apiDefault = list.window
        }
        return QuestionSpec(
            name: list.question, route: PathTemplate(route), path: PathTemplate(path + "/{sort}/{window}/{page}"),
            parameters: own + [sort(list.sorts), window] + paging,
            rules: rules + [
                .onlyWith(
                    "window", other: "sort", values: ["top"],
                    sentence: "A span of time can be given only together with sort=top.")
            ], ttl: .seconds(600), summary: "\(path): \(summary)", answer: posts)
    }

    private static func word(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(name, .pattern("^[A-Za-z0-9_-]{1,100}$"), line, example: example).sent {
            ($0.check, $0.mismatch) = (.word, "A {name} has letters, digits, \"_\" and \"-\" only.")
        }
    }

    private static let gallery = QuestionSpec(
        name: "gallery", route: "gallery",
        path: "/3/gallery/{section}/{sort}/{window}/{page}",
        parameters: [
            .choice("section", ["hot", "top", "user"], "The gallery's section.", default: "hot").unsent,
            flag("showViral", "Whether viral posts of users are shown.", default: "yes", "true"),
            flag("mature", "Whether mature posts are shown.", default: "no", "false"),
            sort(ImgurPaths.user.sorts).sent {
                let words = ImgurPaths.hot.sorts + facts.sorts.map(\.rawValue)
                $0.wordsBy = .init(parameter: "section", words: ["hot": words, "top": words], usual: words)
            },
            window.sent { $0.defaultBy = .init(parameter: "section", defaults: ["top": ImgurPaths.top.window ?? ""]) },
        ] + paging,
        // Without album previews, an album has only its cover.
        fixed: [("album_previews", "true")],
        rules: [
            .onlyWith(
                "window", other: "section", values: ["top"],
                sentence: "A span of time can be given only together with section=top.")
        ], ttl: .seconds(300), summary: "/3/gallery/{hot|top|user}: the posts of that section", answer: posts)

    private static func flag(
        _ name: String, _ line: String, default usual: String, _ word: String
    ) -> QuestionParameter {
        .flag(name, line, default: usual).sent {
            ($0.words, $0.apiDefault, $0.isKeyedAtDefault) = (["yes": "true", "no": "false"], word, false)
        }
    }

    /// Ids are case-sensitive.
    private static func one(_ name: String, example: String, more: [String], summary: String) -> QuestionSpec {
        QuestionSpec(
            name: name, route: PathTemplate("\(name)/{id}"), path: PathTemplate("/3/\(name)/{id}"),
            otherPaths: (["/3/gallery/\(name)/{id}", "/3/\(name)/{other}"] + more).map { PathTemplate($0) },
            parameters: [
                QuestionParameter("id", .pattern(ImgurPicture.idForm), "The id, case-sensitive.", example: example).sent
                {
                    $0.mismatch = "Imgur's ids have letters and digits only, as in \(name)/mOqejNf."
                }
            ], ttl: .seconds(3600), summary: "/3/\(name)/{id}: \(summary)",
            answer: AnswerSpec(
                needs: data, record: "$.data", noun: "pictures", identity: ("$.data.id", "{id}"),
                nameForm: .caseSensitive, result: ImgurPicture.result, expansion: ImgurPicture.expansion))
    }

    private static let posts = AnswerSpec(
        needs: data, list: "$.data", otherLists: ["$.data.items", "$.data.galleries"], noun: "posts",
        result: ImgurPicture.result,
        choices: [ChoiceSpec(parameter: "explicit", rule: .unless("no", "@.nsfw == true"))],
        expansion: ImgurPicture.expansion)
    private static let data: (JSONFilter, String) = ("@.data", "The answer has no data.")

    private static let tags = QuestionSpec(
        name: "tags", route: "tags", path: "/3/tags", parameters: [],
        ttl: .seconds(86_400), summary: "/3/tags: the tags of the day",
        answer: AnswerSpec(
            needs: data, list: "$.data.tags", noun: "tags",
            result: ResultSpec(
                kind: "tag", id: .first("$.name", as: .line), title: .first("$.display_name", "$.name", as: .line),
                summary: .first("$.description", as: .paragraphs), url: .url("https://imgur.com/t/{$.name}"),
                artwork: .template(
                    "https://i.imgur.com/{image}{size}.jpg",
                    name: .first("$.background_hash", as: .matching(ImgurPicture.id)), small: "t", large: "l",
                    original: ""),
                attributes: [
                    AttributeSpec("name", .text, .first("$.name", as: .line)),
                    AttributeSpec("items", .number, .first("$.total_items")),
                    AttributeSpec("followers", .number, .first("$.followers")),
                ], idReason: .name)))

    private static let credits = QuestionSpec(
        name: "credits", route: "credits", path: "/3/credits", parameters: [],
        ttl: .seconds(60), summary: "/3/credits: the calls that are left",
        answer: AnswerSpec(
            needs: ("@.data.UserRemaining || @.data.ClientRemaining", "The answer has no credits."), record: "$.data",
            noun: "credits",
            result: ResultSpec(
                kind: "credits", id: .template("all"), title: .template("Calls that are left"),
                attributes: [
                    AttributeSpec("userLimit", .number, .first("$.UserLimit")),
                    AttributeSpec("userRemaining", .number, .first("$.UserRemaining")),
                    AttributeSpec("userResetsAt", .text, .first("$.userResetsAt")),
                    AttributeSpec("clientLimit", .number, .first("$.ClientLimit")),
                    AttributeSpec("clientRemaining", .number, .first("$.ClientRemaining")),
                ]), expansion: ImgurCredits.expansion))
}
