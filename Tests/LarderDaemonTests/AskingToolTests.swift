// How urgent a request is, which tool makes it, and what of it goes no further.
import Foundation
import LarderCore
import LarderIO
import LarderServer
import LarderSettings
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct AskingToolTests {
    private static let tools = [
        ToolSetting("editor", user: 1000), ToolSetting("batch", token: "t0ken"), ToolSetting("notebook"),
    ]

    private func request(_ fields: HeaderFields, _ peer: Peer = .tcp(nil)) -> ServerRequest {
        ServerRequest(
            id: RequestID(loop: 0, sequence: 1), target: Bytes(text: "/"), path: "/", fields: fields, peer: peer,
            receivedAt: WallTime(seconds: 0))
    }

    private func client(_ fields: HeaderFields, _ peer: Peer = .tcp(nil)) -> AskingClient {
        AskingClient(request(fields, peer), tools: Self.tools)
    }

    @Test(arguments: [
        ("u=0", Urgency.person), ("u=2", .person), ("i, u=1", .person), ("u=3", .ordinary), ("u=6", .ordinary),
        ("u=7", .background), ("", .ordinary), ("i", .ordinary), ("u=8", .ordinary), ("u=-1", .ordinary),
        ("u=1.5", .ordinary), ("u=\"1\"", .ordinary), ("u=(1 2)", .ordinary), ("u=1,", .ordinary),
        ("u=1; x=2", .person), ("u=5, u=1", .person), ("U=1", .ordinary), ("urgent", .ordinary),
    ])
    func aPriorityOfZeroToTwoIsAPersonAndWhatIsWrongIsIgnored(_ value: String, _ urgency: Urgency) {
        #expect(client(["Priority": value]).urgency == urgency)
    }

    @Test func linesOfOnePriorityAreOneDictionary() {
        #expect(
            client(HeaderFields([HeaderField("Priority", "i"), HeaderField("Priority", "u=2")])).urgency == .person)
    }

    @Test func aPageOfTheConsoleIsAPersonsWhateverItsFieldsSay() {
        #expect(client(["Priority": "u=7"]).asPerson.urgency == .person)
    }

    @Test func theDaemonsOwnWorkIsBackgroundAndItsOwnTool() {
        #expect(AskingClient.urgency == .background)
        #expect(AskingClient.tool == .own)
    }

    @Test func aUserOrATokenProvesATool() {
        #expect(client([:], .unix(uid: 1000, pid: 1)).tool == AskingTool(name: "editor", turn: "editor"))
        #expect(client([:], .unix(uid: 1001, pid: 1)).tool == .other)
        #expect(client(["Authorization": "Bearer t0ken"]).tool == AskingTool(name: "batch", turn: "batch"))
        for value in ["bearer  t0ken ", "BEARER t0ken", "Bearer\tt0ken", "Bearer \t t0ken\t"] {
            #expect(client(["Authorization": value]).tool.name == "batch", "\(value)")
        }
        for value in ["Bearer t0ken2", "Bearer", "t0ken", "Basic t0ken", "Bearert0ken", "Basic a, Bearer t0ken"] {
            #expect(client(["Authorization": value]).tool == .other, "\(value)")
        }
    }

    @Test func aTokenSaysMoreThanTheUser() {
        #expect(client(["Authorization": "Bearer t0ken"], .unix(uid: 1000, pid: 1)).tool.name == "batch")
    }

    @Test func aNameThatIsOnlySaidIsCountedAndGetsNoTurnOfItsOwn() {
        #expect(client(["X-Larder-Tool": "notebook"]).tool == AskingTool(name: "notebook", turn: "other"))
        #expect(client(["X-Larder-Tool": "notebook"], .unix(uid: 1000, pid: 1)).tool.name == "editor")
    }

    @Test(arguments: ["unknown", "batch", "editor", "larder", "other", "", "Notebook"])
    func aNameThatIsUnknownOrNeedsAProofIsOther(_ name: String) {
        #expect(client(["X-Larder-Tool": name]).tool == .other)
    }

    @Test func withoutToolsEverybodyIsOther() {
        #expect(AskingClient(request(["X-Larder-Tool": "a", "Authorization": "Bearer x"])).tool == .other)
    }

    @Test(arguments: [
        "Bearer\tt0ken", "bEARER t0ken", "Bearer  t0ken", "Basic dXNlcg==, Bearer t0ken", "Bearer a,Bearer t0ken",
        "Bearer \"t0ken\"", "Bearer token=t0ken", "Bearer token==t0ken", "t0ken", "Token t0ken", "Bearert0ken, t0ken;x",
    ])
    func aTokenThatStandsAsAWordGoesNoFurther(_ value: String) throws {
        let fields: HeaderFields = ["Accept": "*/*", "authorization": value]
        #expect(try #require(AskingClient.removed(from: request(fields), Self.tools)).fields == ["Accept": "*/*"])
    }

    /// "t0ken" as the user without a password, with an empty one, before and after another word, and with a colon.
    @Test(arguments: ["t0ken", "t0ken:", ":t0ken", "t0ken:x", "user:t0ken", "ü:t0ken"])
    func aTokenInALoginGoesNoFurther(_ login: String) {
        let word = Data(login.utf8).base64EncodedString()
        for value in ["Basic \(word)", "bASIC\t\(word)", "Bearer a, Basic  \(word)"] {
            let removed = AskingClient.removed(from: request(["Authorization": value]), Self.tools)
            #expect(removed?.fields.isEmpty == true, "\(value)")
        }
    }

    @Test(arguments: ["user:t0ken2", "user:a:t0ken", "user:t0ken:", "xt0ken:", "user:T0KEN"])
    func anotherLoginGoesOn(_ login: String) {
        let value = "Basic \(Data(login.utf8).base64EncodedString())"
        #expect(AskingClient.removed(from: request(["Authorization": value]), Self.tools) == nil)
    }

    @Test(arguments: [
        "Bearer t0ken2", "Bearer at0ken", "Bearer a.t0ken", "Bearer T0KEN", "Bearer t0ken-2", "Bearer", "Bearer t0ken=",
        "Bearer t0ken==", "Bearer t0ken=x", "Bearer ét0ken", "", "=",
    ])
    func anotherTokenGoesOn(_ value: String) {
        #expect(AskingClient.removed(from: request(["Authorization": value]), Self.tools) == nil)
    }

    @Test func theSignsOfEqualityAtItsEndBelongToAToken() {
        let tools = [ToolSetting("batch", token: "t0ken==")]
        for value in ["Bearer t0ken==", "a=t0ken==, b", "\"t0ken==\""] {
            #expect(ToolSetting.isToken(in: value, of: tools), "\(value)")
        }
        for value in ["Bearer t0ken", "Bearer t0ken=", "Bearer t0ken==="] {
            #expect(!ToolSetting.isToken(in: value, of: tools), "\(value)")
        }
    }

    @Test func ofSeveralFieldsOnlyTheOneWithTheTokenIsTakenOut() throws {
        let fields = HeaderFields([
            HeaderField("Authorization", "Bearer\tt0ken"), HeaderField("Authorization", "Bearer of-an-api"),
            HeaderField("X-Note", "t0ken"),
        ])
        let rest = try #require(AskingClient.removed(from: request(fields), Self.tools))
        #expect(Array(rest.fields) == Array(fields.dropFirst()))
    }

    @Test func onlyTheFieldsForLarderAreTakenOut() throws {
        let fields: HeaderFields = [
            "Accept": "*/*", "Priority": "u=1", "X-Larder-Tool": "batch", "Authorization": "Bearer t0ken",
        ]
        let rest = try #require(AskingClient.removed(from: request(fields), Self.tools))
        #expect(rest.fields == ["Accept": "*/*"])
        #expect(AskingClient.removed(from: request(["Accept": "*/*"]), Self.tools) == nil)
        #expect(AskingClient.removed(from: request(["Authorization": "Bearer of-an-api"]), Self.tools) == nil)
    }
}
