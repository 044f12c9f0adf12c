// Paths of pictures inside a record of TMDb (the cast's portraits, backdrops, stills of episodes, logos) are half an
// address: beside each stand the handles by which the picture can be had.
import LarderCore

struct TMDbPictureMembers {
    let pictures: TMDbPictures
    let signer: ArtworkSigner

    /// What a member's name says of its picture. A backdrop has a name of its own, since it stands beside a poster.
    private static let kinds: [String: (kind: TMDbPictures.Kind, name: String)] = [
        "poster_path": (.poster, "artwork"), "profile_path": (.profile, "artwork"), "still_path": (.still, "artwork"),
        "logo_path": (.logo, "artwork"), "backdrop_path": (.backdrop, "backdrop"),
    ]
    /// The same of "file_path", which stands in lists of one kind.
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

    /// The handles of a picture as JSON, as in a result's `artwork`; nil for what is no picture.
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
