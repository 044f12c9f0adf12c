// The kinds of Imgur results.

extension Imgur {
    static let kinds: [ResultKind] = {
        let post: [ResultAttribute] =
            .texts("imageId", "albumId", "albumTitle", "privacy", "layout", "section", "topic")
            + .numbers(
                "albumImages", "position", "ups", "downs", "points", "score", "comments", "favorites")
            + .flags("nsfw", "mostViral", "advertisement") + .any("tagDetails")
        let picture: [ResultAttribute] =
            .texts("type", "mp4", "gifv", "hls") + .numbers("width", "height", "size", "views", "bandwidth", "mp4Size")
            + .flags("animated", "looping", "hasSound")
        return [
            ResultKind("image", [post, picture]),
            ResultKind("tag", [.texts("name"), .numbers("items", "followers")]),
            ResultKind(
                "credits",
                [.numbers("userLimit", "userRemaining", "clientLimit", "clientRemaining"), .texts("userResetsAt")]),
        ]
    }()
}
