// The URLs of a picture's sizes. Imgur makes the sizes itself: a letter between the id and the dot selects the size.
// Every picture has each size as JPEG; for an animation it is a still.
import LarderCore

struct ImgurPicture {
    /// The picture's sizes and its original.
    let artwork: ResultItem.Artwork
    /// The picture's link, if it is a film.
    let video: String?

    /// At most 160 and 640 pixels, not cropped.
    private static let small = "t"
    private static let large = "l"
    /// 1,024 pixels: the largest still of an animation.
    private static let still = "h"

    /// - Parameters:
    ///   - id: letters and digits only.
    ///   - link: the link from the API; nil if only the id is known.
    init(id: String, link: String?) {
        let link = link.flatMap { Self.upgraded($0) }
        let parts = link.flatMap { Self.parts($0, of: id) }
        let folder = parts?.folder ?? "https://i.imgur.com/"
        let ending = parts?.ending ?? "jpg"
        let isDrawn = ["jpg", "jpeg", "png", "gif", "webp"].contains(ending.lowercased())
        func size(_ letter: String) -> String {
            "\(folder)\(id)\(letter).\(["jpg", "jpeg", "png"].contains(ending.lowercased()) ? ending : "jpg")"
        }
        let whole = parts == nil ? "\(folder)\(id).jpg" : isDrawn ? link : nil
        artwork = ResultItem.Artwork(
            small: size(Self.small), large: size(Self.large), original: whole ?? size(Self.still))
        video = parts != nil && ["mp4", "webm"].contains(ending.lowercased()) ? link : nil
    }

    /// The folder and extension of a link to the picture. For a large animation the link has the still's letter.
    private static func parts(_ link: String, of id: String) -> (folder: String, ending: String)? {
        guard let url = WebURL(link) else { return nil }
        let path = url.target.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let file = path[path.index(after: slash)...]
        guard let dot = file.lastIndex(of: "."), file[..<dot] == id || file[..<dot] == id + still else { return nil }
        let ending = file[file.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.utf8.allSatisfy({ ASCII.isLetter($0) || $0 == 0x34 })
        else { return nil }
        return (url.origin + path[...slash], String(ending))
    }

    /// A link in the form that clients receive. Old records have http links to hosts that support https. Nil if it is
    /// not a link.
    static func upgraded(_ link: String) -> String? {
        let link = link.hasPrefix("//") ? "https:" + link : link
        guard WebURL.isWeb(link), let url = WebURL(link) else { return nil }
        guard url.scheme == "http", url.host == "imgur.com" || url.host.hasSuffix(".imgur.com") else { return link }
        return url.upgraded?.text ?? link
    }
}
