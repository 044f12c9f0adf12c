// Which navigations make the console search without a click.
import LarderCore
import Testing

@testable import LarderDaemon

struct ConsoleRouteTests {
    @Test(arguments: [
        ([], false), (["none"], true), (["none", "same-origin"], false), (["cross-site"], false),
        (["same-site"], false), (["same-origin"], true),
        (["same-origin", "cross-site"], false), (["cross-site", "same-origin"], false),
    ])
    func onlyANavigationOfItsOwnOriginOrOfThePersonSearchesByItself(_ sites: [String], _ searches: Bool) {
        var fields: HeaderFields = [:]
        for site in sites { fields.add("Sec-Fetch-Site", site) }
        #expect(ConsoleRoute.searchesByItself(fields) == searches)
    }
}
