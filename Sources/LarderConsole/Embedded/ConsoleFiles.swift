// The files of Files/. Made by scripts/embed-console; not to be edited by hand.

enum ConsoleFiles {
    static let all: [(name: String, text: StaticString)] = [
        ("answer.js", answerJs),
        ("ask.js", askJs),
        ("connection.js", connectionJs),
        ("console.css", consoleCss),
        ("dialog.js", dialogJs),
        ("dom.js", domJs),
        ("explanation.js", explanationJs),
        ("format.js", formatJs),
        ("glossary.js", glossaryJs),
        ("larder.svg", larderSvg),
        ("now.js", nowJs),
        ("over-time.js", overTimeJs),
        ("page.js", pageJs),
        ("plot.js", plotJs),
        ("providers.js", providersJs),
        ("question.js", questionJs),
        ("result.js", resultJs),
        ("search.js", searchJs),
        ("store.js", storeJs),
        ("stream.js", streamJs),
        ("terms.js", termsJs),
        ("token.js", tokenJs),
    ]
}
