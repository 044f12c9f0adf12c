// Records of TMDb contain picture paths (the cast's portraits, backdrops, stills of episodes, logos) that are only half
// a URL. Next to each one, the handles are added by which a client can fetch the picture.
import LarderCore

struct TMDbPictureMembers {
    let pictures: TMDbPictures
    let signer: ArtworkSigner

    /// The kind of picture in a member, and the name of the added member. A backdrop's differs, since it stands next to
    /// a poster.
    private static let kinds: [String: (kind: TMDbPictures.Kind, name: String)] = [
        "poster_path": (.poster, "artwork"), "profile_path": (.profile, "artwork"), "still_path": (.still, "artwork"),
        "logo_path": (.logo, "artwork"), "backdrop_path": (.backdrop, "backdrop"),
    ]
    /// The kind of the pictures in a "file_path", by the name of the list that contains it.
    private static let lists: [String: TMDbPictures.Kind] = [
        "posters": .poster, "backdrops": .backdrop, "profiles": .profile, "stills": .still, "logos": .logo,
    ]

    var camelCase: CamelCase {
        var form = CamelCase()
        form.companion = { member, list in
            guard member.value.kind == .string else { return nil }
            if member.isNamed("file_path"), let kind = Self.lists[list] {
                return json(member.value.string, kind).map { ("artwork", $0) }
            }
            guard let known = Self.kinds[member.name] else { return nil }
            return json(member.value.string, known.kind).map { (known.name, $0) }
        }
        return form
    }

    /// The handles of a picture as JSON, in the form of a result's `artwork`; nil if the path is not a picture.
    func json(_ path: String?, _ kind: TMDbPictures.Kind) -> Bytes? {
        guard let artwork = pictures.artwork(path, kind) else { return nil }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("small", signer.path(provider: TMDb.facts.name, url: artwork.small))
            writer.member("large", signer.path(provider: TMDb.facts.name, url: artwork.large))
            writer.member("original", artwork.original)
        }
        return writer.bytes
    }
}
