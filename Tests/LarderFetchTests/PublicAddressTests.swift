import CCurl  // its headers define sockaddr for this module
import Glibc
import LarderCore
import Testing

@testable import LarderFetch

@Suite struct PublicAddressTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "17.253.144.10", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255",
        "203.0.114.0", "223.255.255.255",
        "2600::1", "2a00:1450:4001:81b::200e", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1",
        "2001:db9::1", "3ffe::1", "3fff:1000::1", "64:ff9b::8.8.8.8",
    ])
    func addressesOfTheInternetArePublic(text: String) throws {
        let address = try #require(PublicAddress(text))
        #expect(address.isPublic)
    }

    @Test(arguments: [
        // IPv4: this network, private, shared, loopback, link-local, protocol, documentation, relays, benchmarks,
        // multicast, reserved, broadcast; first and last of each.
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
        "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.1", "192.168.0.0", "192.168.255.255",
        "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255",
        "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
        // IPv6: unspecified, loopback, compatible, mapped (even of a public address, which has no use), translated,
        // discard-only, unique local, link-local, site-local, multicast, Teredo, benchmarks, ORCHID, documentation.
        "::", "::1", "::8.8.8.8", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "100::1", "fc00::1",
        "fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ffff::", "2001::1", "2001:2::1", "2001:20::1",
        "2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1",
        // IPv4 inside IPv6: NAT64 of private addresses, 6to4 of any, and NAT64's local-use prefix.
        "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8",
        "64:ff9b:0:0:1::8.8.8.8", "2002:7f00:1::1", "2002:808:808::1", "2002:a00:1::", "2002:c0a8:101::1",
        "2002:a9fe:a9fe::",
        "fe80::1%lo",
    ])
    func everythingNearerIsNot(text: String) throws {
        let address = try #require(PublicAddress(text))
        #expect(!address.isPublic)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "[::1]", "g::1", "1:2"])
    func whatIsNoAddressIsNone(text: String) {
        #expect(PublicAddress(text) == nil)
    }

    @Test func anotherFamilyOrACutAddressIsNone() {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        #expect(PublicAddress(&address, length: 16) == nil)
        address.sa_family = sa_family_t(AF_INET)
        #expect(PublicAddress(&address, length: 8) == nil)
        #expect(PublicAddress(&address, length: 16) == .v4(0))
        address.sa_family = sa_family_t(AF_INET6)
        #expect(PublicAddress(&address, length: 16) == nil)
    }

    @Test func aSocketAddressIsReadAsItsText() {
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        inet_pton(AF_INET6, "2001:4860:4860::8888", &v6.sin6_addr)
        let read = withUnsafePointer(to: &v6) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                PublicAddress($0, length: MemoryLayout<sockaddr_in6>.size)
            }
        }
        #expect(read != nil)
        #expect(read == PublicAddress("2001:4860:4860::8888"))
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST.", true), ("a.localhost", true), ("printer.local", true), ("router", true),
        ("db.internal", true), ("nas.lan", true), ("1.168.192.in-addr.arpa", true), ("", true), (".", true),
        ("10.0.0.1", true), ("[::1]", true), ("[2600::1]", false), ("8.8.8.8", false), ("example.com", false),
        ("localhost.example.com", false), ("example.com.", false),
    ])
    func aHostIsPlainlyLocalByItsName(host: String, isLocal: Bool) {
        #expect(PublicAddress.isPlainlyLocal(host: host) == isLocal)
    }
}
