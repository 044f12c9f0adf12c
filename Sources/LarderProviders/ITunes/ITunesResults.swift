// Converts iTunes records to results. Every field may be missing. What the record wraps (a track, a collection, an
// artist, or nothing, as with an ebook) decides which fields hold the title, the id and the price.
import LarderCore

enum ITunesResults {
    /// The members that are read, by their upstream names.
    private enum Field: Int, CodingKey, CaseIterable {
        case wrapperType, kind, collectionType, artistType
        case artistId, collectionId, trackId
        case artistName, collectionName, trackName, collectionCensoredName, trackCensoredName
        case artistViewUrl, artistLinkUrl, collectionViewUrl, trackViewUrl
        case artworkUrl30, artworkUrl60, artworkUrl100, artworkUrl160, artworkUrl512, artworkUrl600
        case price, trackPrice, collectionPrice, trackHdPrice, collectionHdPrice, trackRentalPrice, trackHdRentalPrice
        case currency, formattedPrice, country
        case releaseDate, primaryGenreName, genres
        case description, longDescription, shortDescription
        case trackTimeMillis, trackNumber, trackCount, discNumber, discCount
        case previewUrl, feedUrl, episodeUrl, episodeGuid, isStreamable
        case trackExplicitness, collectionExplicitness, contentAdvisoryRating, trackContentRating, copyright
        case averageUserRating, userRatingCount, version, currentVersionReleaseDate, releaseNotes, minimumOsVersion
        case bundleId, sellerName, sellerUrl, fileSizeBytes, languageCodesISO2A
        case screenshotUrls, ipadScreenshotUrls, appletvScreenshotUrls
        case genreIds, collectionArtistId, features, supportedDevices
    }

    private static let table = JSONMemberTable(Field.allCases.map(\.stringValue))

    static func normalise(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, sort: SortOrder, language: String
    ) throws(NormaliseError) -> NormalisedAnswer {
        let records = try records(response)
        return answer(records[...], response.body.count, signer, sort: sort, language: language)
    }

    /// Results from a range of a response that was fetched for another question; nil if it does not hold the whole
    /// range.
    static func normalise(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, sort: SortOrder, language: String, _ wanted: ListStretch,
        of stored: ListStretch
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let records = try records(response)
        return wanted.places(in: stored, records: records.count).map { places in
            answer(records[places], response.body.count, signer, sort: sort, language: language)
        }
    }

    private static func records(_ response: UpstreamResponse) throws(NormaliseError) -> [JSONValue] {
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            throw NormaliseError(provider: ITunes.facts.name, message: Impostor.describe(response.body, error))
        }
        guard let records = root["results"], records.kind == .array else {
            throw NormaliseError(provider: ITunes.facts.name, message: "The answer has no list of results.")
        }
        return Array(records.elements)
    }

    private static func answer(
        _ records: ArraySlice<JSONValue>, _ size: Int, _ signer: ArtworkSigner, sort: SortOrder, language: String
    ) -> NormalisedAnswer {
        var list = ResultList(
            provider: ITunes.facts.name, signer: signer, capacity: size + records.count * 256)
        var record = Record(JSONRecord(table))
        for value in records {
            guard record.fields.load(value) else {
                list.drop(.notAnObject)
                continue
            }
            add(record, of: value, to: &list)
        }
        return list.answer(sort: sort, language: language)
    }

    /// One record, with access by field.
    private struct Record {
        var fields: JSONRecord

        init(_ fields: JSONRecord) {
            self.fields = fields
        }

        subscript(_ field: Field) -> JSONValue? { fields[field.rawValue] }

        func text(_ field: Field) -> String? {
            guard let text = fields[field.rawValue]?.string, !text.isEmpty else { return nil }
            return text
        }

        /// A link; nil if the text is not a web URL.
        func link(_ field: Field) -> String? { text(field).flatMap { WebURL.isWeb($0) ? $0 : nil } }

        func number(_ field: Field) -> String? { Numbers.lenient(fields[field.rawValue]) }

        func texts(_ field: Field) -> [String] {
            guard let list = fields[field.rawValue] else { return [] }
            return list.elements.compactMap { $0.string ?? $0["name"]?.string }
        }
    }

    private static func add(_ record: Record, of source: JSONValue, to list: inout ResultList) {
        guard let shape = Shape(record) else { return list.drop(.kind) }
        guard let id = record.number(shape.id) ?? shape.otherIDs.lazy.compactMap({ record.number($0) }).first else {
            return list.drop(.id)
        }
        guard let title = shape.titles.lazy.compactMap({ TextCleaning.line(record.text($0)) }).first else {
            return list.drop(.title)
        }
        var result = ResultItem(id: "itunes:\(shape.kind):\(id)", kind: shape.kind, title: title)
        result.creator = shape.wraps == .artist ? nil : TextCleaning.line(record.text(.artistName))
        if shape.wraps == .track, let collection = TextCleaning.line(record.text(.collectionName)), collection != title
        {
            result.collection = collection
        }
        result.summary = TextCleaning.paragraphs(
            record.text(.description) ?? record.text(.longDescription) ?? record.text(.shortDescription))
        result.url = shape.urls.lazy.compactMap { record.link($0) }.first
        let currency = record.text(.currency)
        result.price = shape.prices.lazy.compactMap { Numbers.price(record[$0], currency: currency) }.first
        let genres = record.texts(.genres)
        result.genres = genres.isEmpty ? [record.text(.primaryGenreName)].compactMap { $0 } : genres
        result.setPublished(record.text(.releaseDate))
        result.artwork = artwork(record)
        addAttributes(of: record, shape, to: &result)
        list.add(result, from: source)
    }

    /// The type of a record, which decides where its values are.
    private struct Shape {
        enum Wraps { case track, collection, artist }

        var kind: String
        var wraps: Wraps

        /// Upstream kinds and Larder's names for them. Any other kind keeps its name, in camel case.
        private static let kinds = [
            "song": "song", "music-video": "musicVideo", "feature-movie": "movie", "tv-episode": "tvEpisode",
            "podcast": "podcast", "podcast-episode": "podcastEpisode", "software": "software",
            "mac-software": "macSoftware", "ebook": "ebook", "book": "ebook", "album": "album", "artist": "artist",
            "coached-audio": "coachedAudio", "interactive-booklet": "interactiveBooklet", "pdf": "pdf",
        ]

        /// Nil if the record has no kind, no wrapper type and no id, so its type is unknown.
        init?(_ record: Record) {
            switch record.text(.wrapperType) {
            case "artist": (kind, wraps) = ("artist", .artist)
            case "audiobook": (kind, wraps) = ("audiobook", .collection)
            case "collection":
                kind = record.text(.collectionType) == "TV Season" ? "tvSeason" : "album"
                wraps = .collection
            default:
                wraps = .track
                if let upstream = record.text(.kind) {
                    kind = Self.kinds[upstream] ?? Self.camelCase(upstream)
                    if kind == "artist" { wraps = .artist }
                    if kind == "album" { wraps = .collection }
                } else if record[.trackId] != nil {
                    // Some videos have a null kind. Such a record is known only to be a track.
                    kind = record[.bundleId] != nil ? "software" : "track"
                } else if record[.collectionId] != nil {
                    (kind, wraps) = ("album", .collection)
                } else if record[.artistId] != nil {
                    (kind, wraps) = ("artist", .artist)
                } else {
                    return nil
                }
            }
        }

        private static func camelCase(_ text: String) -> String {
            let words = text.split { !$0.isLetter && !$0.isNumber }
            return words.enumerated().map { position, word in
                position == 0 ? word.lowercased() : word.prefix(1).uppercased() + word.dropFirst().lowercased()
            }.joined()
        }

        var id: Field {
            switch wraps {
            case .track: .trackId
            case .collection: .collectionId
            case .artist: .artistId
            }
        }

        /// A podcast is its own collection. For other kinds, an id of another level would identify another thing.
        var otherIDs: [Field] { kind == "podcast" ? [.collectionId] : [] }

        var titles: [Field] {
            switch wraps {
            case .track where kind == "podcast": [.trackName, .trackCensoredName, .collectionName]
            case .track: [.trackName, .trackCensoredName]
            case .collection: [.collectionName, .collectionCensoredName]
            case .artist: [.artistName]
            }
        }

        var urls: [Field] {
            switch wraps {
            case .track: [.trackViewUrl, .collectionViewUrl]
            case .collection: [.collectionViewUrl]
            case .artist: [.artistLinkUrl, .artistViewUrl]
            }
        }

        /// The members with the record's own price. An album's price is not the price of a track that is not sold
        /// separately; it stays an attribute.
        var prices: [Field] {
            switch wraps {
            case .track: [.trackPrice, .price]
            case .collection: [.collectionPrice, .price]
            case .artist: []
            }
        }
    }

    private static func artwork(_ record: Record) -> ResultItem.Artwork? {
        let larger = record.link(.artworkUrl600) ?? record.link(.artworkUrl512)
        let usual = record.link(.artworkUrl100)
        let smaller = usual == nil ? record.link(.artworkUrl60) : nil
        guard
            let largest = larger ?? record.link(.artworkUrl160) ?? usual ?? smaller ?? record.link(.artworkUrl30)
        else { return nil }
        return ResultItem.Artwork(
            small: usual ?? smaller ?? largest, large: larger ?? ITunesArtwork.resized(largest, to: 600),
            original: largest)
    }

    private static func addAttributes(of record: Record, _ shape: Shape, to result: inout ResultItem) {
        result.attributes.reserve(1024)
        result.attribute("artistId", number: shape.wraps == .artist ? nil : record[.artistId])
        result.attribute("artistUrl", link: shape.wraps == .artist ? nil : record[.artistViewUrl])
        result.attribute("artistType", text: record[.artistType])
        if shape.wraps == .track {
            result.attribute("collectionId", number: record[.collectionId])
            result.attribute("collectionUrl", link: record[.collectionViewUrl])
            addPrice("collectionPrice", .collectionPrice, of: record, to: &result)
        }
        addPrice("hdPrice", shape.wraps == .track ? .trackHdPrice : .collectionHdPrice, of: record, to: &result)
        addPrice("rentalPrice", .trackRentalPrice, of: record, to: &result)
        addPrice("hdRentalPrice", .trackHdRentalPrice, of: record, to: &result)
        result.attribute("formattedPrice", text: record[.formattedPrice])
        result.attribute("storefront", text: record[.country])
        // In podcast records this member sometimes holds seconds. Its unit is unknown, so it is left out.
        result.attribute("durationMillis", number: result.kind == "podcast" ? nil : record[.trackTimeMillis])
        result.attribute("trackNumber", number: record[.trackNumber])
        result.attribute("trackCount", number: record[.trackCount])
        result.attribute("discNumber", number: record[.discNumber])
        result.attribute("discCount", number: record[.discCount])
        let explicitness = shape.wraps == .track ? Field.trackExplicitness : .collectionExplicitness
        result.attribute("explicitness", text: record[explicitness])
        result.attribute("contentRating", text: record.text(.contentAdvisoryRating) ?? record.text(.trackContentRating))
        result.attribute("streamable", flag: record[.isStreamable]?.bool)
        result.attribute("previewUrl", link: record[.previewUrl])
        result.attribute("feedUrl", link: record[.feedUrl])
        result.attribute("episodeUrl", link: record[.episodeUrl])
        result.attribute("episodeGuid", text: record[.episodeGuid])
        result.attribute("copyright", text: record[.copyright])
        result.attribute("rating", number: record[.averageUserRating])
        result.attribute("ratingCount", number: record[.userRatingCount])
        result.attribute("collectionArtistId", number: record[.collectionArtistId])
        result.attribute("shortDescription", text: TextCleaning.paragraphs(record.text(.shortDescription)))
        result.attribute("genreIds", texts: record.texts(.genreIds))
        guard record[.bundleId] != nil || record[.fileSizeBytes] != nil || record[.version] != nil else { return }
        result.attribute("bundleId", text: record[.bundleId])
        result.attribute("version", text: record[.version])
        result.attribute(
            "versionPublishedAt", text: record.text(.currentVersionReleaseDate).flatMap(DateText.parse)?.rfc3339)
        result.attribute("releaseNotes", text: TextCleaning.paragraphs(record.text(.releaseNotes)))
        result.attribute("minimumOsVersion", text: record[.minimumOsVersion])
        result.attribute("fileSizeBytes", number: record[.fileSizeBytes])
        result.attribute("languages", texts: record.texts(.languageCodesISO2A))
        result.attribute("seller", text: record[.sellerName])
        result.attribute("sellerUrl", link: record[.sellerUrl])
        result.attribute("screenshots", texts: record.texts(.screenshotUrls).filter(WebURL.isWeb))
        result.attribute("tabletScreenshots", texts: record.texts(.ipadScreenshotUrls).filter(WebURL.isWeb))
        result.attribute("televisionScreenshots", texts: record.texts(.appletvScreenshotUrls).filter(WebURL.isWeb))
        result.attribute("features", texts: record.texts(.features))
        result.attribute("supportedDevices", texts: record.texts(.supportedDevices))
    }

    /// Adds a further price in the record's currency.
    private static func addPrice(_ name: StaticString, _ field: Field, of record: Record, to result: inout ResultItem) {
        guard let value = record[field] else { return }
        result.attribute(name, price: Numbers.price(value, currency: record.text(.currency)))
    }
}

/// The sizes of iTunes artwork. The last segment of the URL selects the size.
enum ITunesArtwork {
    /// The URL of the same picture in a square with that side: ".../100x100bb.jpg" becomes ".../600x600bb.jpg". A URL
    /// is unchanged unless its whole last segment is `{w}x{h}{letters}(-{digits}).(jpg|png|webp)`.
    static func resized(_ url: String, to side: Int) -> String {
        var text = url
        return text.withUTF8 { bytes in
            guard let size = size(in: bytes) else { return url }
            var out = Bytes()
            out.reserveCapacity(bytes.count + 16)
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<size.lowerBound]))
            JSONText.append(plain: String(side), to: &out)
            out.append(0x78)
            JSONText.append(plain: String(side), to: &out)
            out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[size.upperBound...]))
            return out.lossyText
        }
    }

    /// The range of the two numbers and their "x" in such a URL.
    private static func size(in url: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let slash = url.lastIndex(of: 0x2F) else { return nil }
        let start = slash + 1
        var place = start
        /// Skips the bytes that match. Returns whether there were any.
        func pass(_ matches: (UInt8) -> Bool) -> Bool {
            let start = place
            while place < url.count, matches(url[place]) { place += 1 }
            return place > start
        }
        guard pass(ASCII.isDigit), place < url.count, url[place] == 0x78 else { return nil }
        place += 1
        guard pass(ASCII.isDigit) else { return nil }
        let end = place
        _ = pass(ASCII.isLowercaseLetter)
        if place < url.count, url[place] == 0x2D {
            place += 1
            guard pass(ASCII.isDigit) else { return nil }
        }
        let ending = UnsafeBufferPointer(rebasing: url[place...])
        return endings.contains { ending.elementsEqual($0) } ? start..<end : nil
    }

    private static let endings = [".jpg", ".png", ".webp"].map { Bytes(text: $0) }
}
