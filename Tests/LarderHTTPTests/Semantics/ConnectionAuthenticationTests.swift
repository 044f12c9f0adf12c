import LarderCore
import LarderHTTP
import Testing

@Suite struct ConnectionAuthenticationTests {
    @Test(arguments: [
        "NTLM TlRMTVNTUAAB", "Negotiate YII=", "negotiate", "ntlm", "Basic YQ==, NTLM TlRM", "Negotiate\tYII=",
    ])
    func credentialsOfAConnectionAreRefusedInWords(value: String) {
        let error = #expect(throws: ClientFacingError.self) {
            try ConnectionAuthentication.check(["Accept": "*/*", "authorization": value])
        }
        #expect(error?.status == 501)
        #expect(error?.detail.contains("authenticates a connection") == true)
        #expect(error?.detail.contains("TlRM") == false)
    }

    @Test(arguments: [
        "Basic TlRMTQ==", "Bearer NTLM", "Digest username=\"NTLM\", realm=\"Negotiate\"", "NTLMv9 x", "Custom ntlm=1",
        "Digest a=b, negotiate=\"x\"", "",
    ])
    func credentialsOfARequestPass(value: String) throws {
        try ConnectionAuthentication.check(["Authorization": value, "X-Scheme": "NTLM"])
    }

    @Test(arguments: [
        (["Negotiate", "NTLM", "Basic realm=\"x\""], ["Basic realm=\"x\""]),
        (["Negotiate, Basic realm=\"a, b\", charset=\"UTF-8\", NTLM"], ["Basic realm=\"a, b\", charset=\"UTF-8\""]),
        (["NTLM TlRM==, Digest realm = \"x\", nonce=\"NTLM\""], ["Digest realm = \"x\", nonce=\"NTLM\""]),
        (["Basic  realm=x,charset=y", "negotiate"], ["Basic  realm=x,charset=y"]),
        (["Negotiate", "NTLM"], ["Negotiate", "NTLM"]), (["Negotiate, NTLM"], ["Negotiate, NTLM"]),
        (["Basic realm=x"], ["Basic realm=x"]), ([], []),
    ])
    func challengesOfAConnectionLeaveWhereAnotherStays(lines: [String], left: [String]) {
        var fields: HeaderFields = ["Server": "a"]
        for line in lines { fields.add("WWW-Authenticate", line) }
        fields.add("Date", "b")
        ConnectionAuthentication.removeChallenges(from: &fields)
        #expect(fields.all("www-authenticate") == left)
        #expect(fields.first("Server") == "a" && fields.first("Date") == "b")
    }
}
