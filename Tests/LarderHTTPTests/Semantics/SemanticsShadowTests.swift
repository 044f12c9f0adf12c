import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsShadowTests {
    @Test(arguments: [
        "Content_Length", "content_length", "Transfer_Encoding", "TRANSFER_ENCODING", "Keep_Alive", "Proxy_Connection",
        "Proxy_Authorization", "Proxy-Authentication_Info", "Proxy_Authentication-Info",
    ])
    func namesThatAReaderCouldTakeForFramingAreNotHandedOn(name: String) {
        let fields = HeaderFields([HeaderField("Accept", "*/*"), HeaderField(name, "5")])
        #expect(HopByHop.endToEnd(fields).map(\.name) == ["Accept"])
    }

    @Test func otherNamesWithUnderscoresStay() {
        let fields: HeaderFields = ["X_Token": "1", "Content_Type": "a", "content_length_": "2", "Connection": "close"]
        #expect(HopByHop.endToEnd(fields).map(\.name) == ["X_Token", "Content_Type", "content_length_"])
    }
}
