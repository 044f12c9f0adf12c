// The order of names in the languages of the world. The lists are the order that Foundation gave (ICU 76, CLDR 46), before
// Larder had a table of its own.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct NameOrderTests {
    struct List: CustomTestStringConvertible {
        var language: String
        var names: [String]
        var testDescription: String { language }

        init(_ language: String, _ text: String) {
            self.language = language
            names = text.split(separator: "\n").flatMap { $0.split(separator: " | ") }.map(String.init)
        }
    }

    private static func sorted(_ names: [String], _ language: String?) -> [String] {
        ResultOrder.order(names.map { ResultKey(name: $0) }, by: .name, language: language).map { names[$0] }
    }

    @Test(arguments: lists) func namesAreInTheOrderOfTheirLanguage(_ list: List) {
        #expect(Self.sorted(list.names.reversed(), list.language) == list.names)
    }

    @Test(arguments: [
        ("\u{E9}", "e\u{301}"), ("\u{1EAD}", "a\u{323}\u{302}"), ("\u{1EAD}", "a\u{302}\u{323}"),
        ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("\u{30AC}", "\u{30AB}\u{3099}"), ("\u{212B}", "\u{C5}"),
    ])
    func composedAndDecomposedNamesAreEqual(_ composed: String, _ decomposed: String) {
        for language in ["en", "sv", "vi", "ja", "ko"] {
            #expect(NameOrder(language: language).key(composed) == NameOrder(language: language).key(decomposed))
        }
    }

    @Test(arguments: [("STRASSE", "stra\u{DF}e"), ("\u{FF21}\u{FF11}", "a1"), ("\u{FB01}n", "FIN"), ("カア", "かあ")])
    func caseWidthAndKanaDoNotCount(_ one: String, _ other: String) {
        #expect(NameOrder(language: nil).key(one) == NameOrder(language: nil).key(other))
    }

    @Test(arguments: [("7", "007"), ("12", "\u{661}\u{662}"), ("0", "000")])
    func numbersAreEqualByTheirValue(_ one: String, _ other: String) {
        #expect(NameOrder(language: nil).key(one) == NameOrder(language: nil).key(other))
    }

    @Test func numbersOfAnyLengthAreInTheirOrder() {
        let names = ["9", "10", "99", "100"] + [18, 19, 20, 21, 254].map { String(repeating: "9", count: $0) }
        #expect(Self.sorted(names.reversed(), nil) == names)
    }

    @Test(arguments: [("de_AT", "de"), ("sv-FI", "sv"), ("xx_yy", "en"), ("", "en"), ("ud", "en"), ("fr_ca", "fr_CA")])
    func aCountryHasTheOrderOfItsLanguageAndAnUnknownLanguageThatOfEnglish(_ tag: String, _ language: String) {
        for name in ["Ärger", "côté", "Zebra"] {
            #expect(NameOrder(language: tag).key(name) == NameOrder(language: language).key(name))
        }
    }

    @Test func aNameComesBeforeOneThatGoesOn() {
        #expect(Self.sorted(["ab", "á", "", "aa", "a"], nil) == ["", "a", "á", "aa", "ab"])
    }

    @Test func whatTheTableDoesNotHaveComesLastByItsCodePoint() {
        let names = ["Zebra", "日本", "\u{10330}", "\u{10331}", "\u{20000}", "\u{10FFFF}"]
        #expect(Self.sorted(names.reversed(), nil) == names)
    }

    /// Each place that the table names is inside it, or reading it would end the program.
    @Test func everyCharacterHasAKeyInEveryLanguage() {
        let others = Set(Self.lists.map(\.language)).subtracting(["en"]).union(["th", "zh_tw", "lt", "he", "hi"])
        for (language, step) in [("en", 1)] + others.sorted().map({ ($0, 17) }) {
            let order = NameOrder(language: language)
            for scalar in stride(from: UInt32(1), to: 0x20000, by: step).compactMap(Unicode.Scalar.init)
            where order.key("\(scalar)\u{301}").count < 3 {
                Issue.record("\(language) \(scalar.value)")
            }
        }
    }

    static let lists = [
        List(
            "en",
            """
            _under | - dash | !!! | ¡Viva! | ¿Qué? | …And Justice for All | 'Til Tuesday | "Heroes"
            (What's the Story) Morning Glory? | #1 Crush | → Arrow | ~tilde | ☆ Star | 🎵 Song | ー | $20 | €5
            1.5 | 1.10 | 2 Become 1 | 5 | 10,000 Days | 99 Luftballons | 1999 | ½ Life | ²nd | a | A b | Aeon
            Æon Flux | Afro | Album 2 | Album 2b | Album 007 | Album 10 | Angst | Ångström | Çelik | Céline
            Celine Dion | Cello | co op | co-op | coop | Coopers | Đorđe | Dorsey | Eclair | éclair | Éclairs
            eclipse | Ex-Wife | exWife | 𝔉𝔞𝔫𝔠𝔶 | Fancy B | ﬁnal | final cut | Finale | Håkan | Hakan B
            İstanbul | Istanbul 2 | Ⅳ | ıspanak | Łódź | Lodz A | Lola | Motörhead | Motorhead A | naïve
            naive set | Ñandú | nina | Niño | Oeuf | Œuvre | Øystein | Oysters | resume | resumé | résume
            résumé | São Paulo | Sao Tome | Šárka | Sarka A | ß | ss A | Straße | Strassen | thing | Thor
            Vol. 9 | Vol. 11 | Vol.10 | Z | zebra | Žižek | zz top | ZZ Ward | þing | αlpha | Άννα | Ωmega | Бет
            Ёлка | Ель | Жук | Иван | Йод | Яна | א | שלום | مرحبا | हिन्दी | ไทย | เมือง | 가나다 | 서울 | 한국 | あい
            アイス | カー | ガール | カア | かあさん | がく | ギター | きゃく | ッ | つき | 一 | 丁 | 京都 | 大阪 | 愛 | 日本 | 東京
            """),
        List(
            "de",
            """
            Apfel | Ärger | Arger B | Ästhetik | Bär | Bar A | Barbara | Bären | Fuß | Fußball | Fussball 2
            Öl | Ol B | Oma | Ömer | Ostern | Österreich | Straße 2 | Strasse 3 | Straße 10 | Süd
            Süden | Suden B | Über | Uber Eats | Übung | Ulm | Zug | Züge | Zunge | Zürich
            """),
        List(
            "sv",
            """
            Aa | Abba | Az | Eva | Éva | Evert | Vallin | Vaxholm | Vy | Wallin | Waxholm | Über | Ynglingar
            Ystad | Üxel | Zlatan | Zorn | Åland | Ålesund | Älvsborg | Ärla | Ærlig | Ö 2 | Ö 10 | Ödla
            Øresund | Östersund
            """),
        List(
            "da",
            """
            Abe | Bo | Üb | Ysengrin | Zoo | Æble | ælv | Ærø | Øl | Österlen | Ål | Aalborg | Aarhus | Åse
            """),
        List(
            "cs",
            """
            Cibule | Cyril | Čáp | Čapek | Ďáblice | Daniel | Dub | Era | Ěra | Hora | Hrad | Chalupa | Chata
            Chrám | Ivan | Ňadra | Nos | Rak | Ryba | Řeka | Sova | Syn | Šárka | Ťuhýk | Tygr | Usta | Ústí
            Úterý | Zima | Zub | Žába
            """),
        List(
            "pl",
            """
            Az | Ąb | Cma | Czas | Ćma | Ez | Ęa | Lublin | Luz | Łódź | Nz | Ńa | Osa | Oz | Ósmy | Sz | Śnieg
            Zebra | Zz | Źrebię | Żaba
            """),
        List(
            "hu",
            """
            Cukor | Cz | Csaba | Dy | Dz | Dzeta | Dzsessz | Gz | Gyula | Lz | Lyuk | Nz | Nyár | Óz | Ozora
            Öröm | Őz | Sz | Szív | Sztár | Út | Uz | Űr | Üveg | Zz | Zsófia
            """),
        List(
            "es",
            """
            Ángel | Angela | Chile | Cuba | Llama | Luz | Nino A | Niño | Nube | Nz | Ñandú | Ñu | Ola
            """),
        List(
            "fr",
            """
            cote | coté | côte | côté | Élan | elan 2 | œuf | oeuf 2
            """),
        List(
            "fr_CA",
            """
            cote | côte | coté | côté | Élan | elan 2 | œuf | oeuf 2
            """),
        List(
            "tr",
            """
            Cuma | Cz | Çay | Dağ | Gz | Ğa | Irmak | ıslak | Iz | Izgara | İzmir | Oz | Öz | Sz | Şeker | Uz
            Üzüm
            """),
        List(
            "vi",
            """
            An | Anh | Ảnh | Ánh | Ăn | Ân | Ấn | Dung | Dương | Đà Nẵng | Oanh | Ô | Ở | Ơn | Uyên | Ưng
            """),
        List(
            "ru",
            """
            2 друга | 10 друзей | Анна | Газ | ґрунт | Ежи | Ёлка | Ель | Иван | Игорь | Йод | Яна | Apple
            Zebra | Ωmega
            """),
        List(
            "el",
            """
            Άννα | αlpha | Όμηρος | Ομίχλη | Ωmega | Apple | Бет
            """),
        List(
            "ja",
            """
            ＡＢＣ | Album 2 | Album 10 | Zebra | あい | アイ2 | アイ10 | アイス | カー | かあさん | カーテン | ガール | がく | ギター
            きゃく | きやくしゃ | こゞろ | スーハー | スーパー | つき | っぽい | ハヽ | ﾊﾝｶｸ | ハンカク2 | 亜 | 愛 | 一 | 音楽 | 漢字 | 京都 | 大阪 | 丁
            東京 | 日本 | 鬱 | Ω | Бет | 한국
            """),
        List(
            "ko",
            """
            가나다 | 서울 | 한국 | Apple | Бет | あい
            """),
        List(
            "zh",
            """
            2号 | 10号 | 爱 | 北京 | 二 | 广州 | 三 | 上海 | 一 | 音乐 | 中国 | Apple | Zebra | あい
            """),
    ]
}
