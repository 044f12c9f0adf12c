// Refusals of questions to iTunes, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct ITunesRefusalPinTests {
    private let pins = ProviderPins(SpecProvider(.iTunes))

    @Test(arguments: [
        ("search", "missingParameter term A search needs a term: write term=… or q=…."),
        ("search?term=", #"invalidParameter term "term" is empty."#),
        ("search?q=a&term=b", #"invalidParameter term conflict "term" is another name of "q": give one of them."#),
        ("search?term=a&term=b", #"repeatedParameter term "term" is given more than once."#),
        (
            "search?term=a&page=2",
            #"""
            unknownParameter page This route has no parameter "page". 12 term,q,category,media,entity,attrib\#
            ute,limit,offset,country,lang,explicit,sort
            """#
        ),
        ("search?term=a&limit=0", #"invalidParameter limit "limit" is not a number between 1 and 200. 1 1…200"#),
        ("search?term=a&limit=201", #"invalidParameter limit "limit" is not a number between 1 and 200. 1 1…200"#),
        (
            "search?term=a&offset=100001",
            #"invalidParameter offset "offset" is not a number between 0 and 100000. 1 0…100000"#
        ),
        (
            "search?term=a&category=films",
            #"""
            invalidParameter category "category" is not one of the allowed words. 4 all,music,software,ebook\#
            s
            """#
        ),
        (
            "search?term=a&category=music&media=music",
            #"""
            invalidParameter category conflict A category stands for a media and an entity: give it or thos\#
            e two, not both.
            """#
        ),
        (
            "search?term=a&category=music&entity=song",
            #"""
            invalidParameter category conflict A category stands for a media and an entity: give it or thos\#
            e two, not both.
            """#
        ),
        (
            "search?term=a&category=ebooks&attribute=songTerm",
            #"""
            invalidParameter attribute conflict "attribute" is not one of the allowed words. 4 titleTerm,aut\#
            horTerm,genreIndex,ratingIndex
            """#
        ),
        (
            "search?term=a&media=vinyl",
            #"""
            invalidParameter media "media" is not one of the allowed words. 10 movie,podcast,music,musicVide\#
            o,audiobook,shortFilm,tvShow,software,ebook,all
            """#
        ),
        (
            "search?term=a&media=movie&entity=song",
            #"invalidParameter entity conflict "entity" is not one of the allowed words. 2 movieArtist,movie"#
        ),
        (
            "search?term=a&entity=songs",
            #"""
            invalidParameter entity "entity" is not one of the allowed words. 24 movieArtist,movie,podcastAu\#
            thor,podcast,podcastEpisode,musicArtist,musicTrack,album,musicVideo,mix,song,audiobookAuthor,aud\#
            iobook,shortFilmArtist,shortFilm,tvEpisode,tvSeason,software,iPadSoftware,macSoftware,tvSoftware\#
            ,ebook,allArtist,allTrack
            """#
        ),
        (
            "search?term=a&media=software&attribute=songTerm",
            #"""
            invalidParameter attribute conflict "attribute" is not one of the allowed words. 1 softwareDevel\#
            oper
            """#
        ),
        (
            "search?term=a&attribute=x",
            #"""
            invalidParameter attribute "attribute" is not one of the allowed words. 27 actorTerm,genreIndex,\#
            artistTerm,shortFilmTerm,producerTerm,ratingTerm,directorTerm,releaseYearTerm,featureFilmTerm,mo\#
            vieArtistTerm,movieTerm,ratingIndex,descriptionTerm,titleTerm,languageTerm,authorTerm,keywordsTe\#
            rm,mixTerm,composerTerm,albumTerm,songTerm,tvEpisodeTerm,showTerm,tvSeasonTerm,softwareDeveloper\#
            ,allArtistTerm,allTrackTerm
            """#
        ),
        (
            "search?term=a&country=USA",
            #"invalidParameter country "country" is a code of two letters (ISO 3166-1), such as US or DE."#
        ),
        (
            "search?term=a&lang=english",
            #"invalidParameter lang "lang" is a language with its country. 3 en_us,ja_jp,xx_yy"#
        ),
        (
            "search?term=a&lang=fr",
            #"invalidParameter lang "lang" is a language with its country. 3 en_us,ja_jp,xx_yy"#
        ),
        (
            "search?term=a&explicit=maybe",
            #"invalidParameter explicit "explicit" is not one of the allowed words. 6 yes,no,true,false,1,0"#
        ),
        (
            "search?term=a&sort=best",
            #"invalidParameter sort "sort" is not one of the allowed words. 4 relevance,name,date,price"#
        ),
        ("search?term=a%07b", #"invalidParameter term "term" contains a control character."#),
        ("search?limit=0", "missingParameter term A search needs a term: write term=… or q=…."),
        (
            "search?term=" + String(repeating: "a", count: 1001),
            #"invalidParameter term "term" is longer than 1000 characters."#
        ),
        (
            "lookup",
            #"""
            missingParameter id A look-up needs one of: id, upc, isbn, bundleId, amgArtistId, amgAlbumId, am\#
            gVideoId.
            """#
        ),
        ("lookup?id=abc", #"invalidParameter id "id" must be numbers of 1 to 20 digits, separated by commas."#),
        ("lookup?id=1,,2", #"invalidParameter id "id" has an empty part."#),
        ("lookup?id=", #"invalidParameter id "id" is empty."#),
        (
            "lookup?id=1&upc=12345678",
            #"""
            invalidParameter upc conflict A look-up takes one kind of key, not both "id" and "upc". 7 id,upc\#
            ,isbn,bundleId,amgArtistId,amgAlbumId,amgVideoId
            """#
        ),
        (
            "lookup?upc=1234567",
            #"invalidParameter upc "upc" must be numbers of 8 to 14 digits, separated by commas."#
        ),
        ("lookup?isbn=123", #"invalidParameter isbn "isbn" must be numbers of 13 digits, separated by commas."#),
        ("lookup?bundleId=a/b", #"invalidParameter bundleId "a/b" is not a bundle id such as com.example.app."#),
        (
            "lookup?amgArtistId=123456789012345678901",
            #"""
            invalidParameter amgArtistId "amgArtistId" must be numbers of 1 to 20 digits, separated by comma\#
            s.
            """#
        ),
        (
            "lookup?id=1&sort=best",
            #"invalidParameter sort "sort" is not one of the allowed words. 5 relevance,name,date,price,recent"#
        ),
        (
            "lookup?id=1&country=u",
            #"invalidParameter country "country" is a code of two letters (ISO 3166-1), such as US or DE."#
        ),
        (
            "lookup?id=1&lang=xx-y",
            #"invalidParameter lang "lang" is a language with its country. 3 en_us,ja_jp,xx_yy"#
        ),
        (
            "lookup?id=1&offset=2",
            #"""
            unknownParameter offset This route has no parameter "offset". 12 id,upc,isbn,bundleId,amgArtistI\#
            d,amgAlbumId,amgVideoId,entity,limit,country,lang,sort
            """#
        ),
        (
            "lookup?id=1&entity=x",
            #"""
            invalidParameter entity "entity" is not one of the allowed words. 24 movieArtist,movie,podcastAu\#
            thor,podcast,podcastEpisode,musicArtist,musicTrack,album,musicVideo,mix,song,audiobookAuthor,aud\#
            iobook,shortFilmArtist,shortFilm,tvEpisode,tvSeason,software,iPadSoftware,macSoftware,tvSoftware\#
            ,ebook,allArtist,allTrack
            """#
        ),
        (
            "lookup?sort=x",
            #"""
            missingParameter id A look-up needs one of: id, upc, isbn, bundleId, amgArtistId, amgAlbumId, am\#
            gVideoId.
            """#
        ),
        ("x", "noSuchRoute - There is no route /v1/itunes/x. /openapi.json lists all routes."),
        ("search/a", "noSuchRoute - There is no route /v1/itunes/search/a. /openapi.json lists all routes."),
    ])
    func anErrorIsToldSo(_ route: String, _ told: String) {
        #expect(pins.question(route) == told)
    }
}
