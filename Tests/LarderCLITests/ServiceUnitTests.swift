// Which files the service's user can read, judged from the unit and from permission bits.
import Foundation
import Glibc
import LarderDaemon
import LarderSettings
import Testing

@testable import LarderCLI

struct ServiceUnitTests {
    private let shipped = """
        [Unit]
        Description=A line with User=nobody that is no setting
        [Service]
        ExecStart=/usr/bin/larder serve --config /etc/larder/larder.yaml
        LoadCredential=newsapi.key:larder.newsapi.key
        DynamicUser=yes
        # User=root
        CapabilityBoundingSet=
        PrivateTmp=yes
        ProtectHome=yes
        """

    @Test func theUnitSaysWhoReads() {
        let unit = ServiceUnit(parsing: [shipped])
        #expect(unit.user == nil && unit.isDynamic && unit.isBounded)
        #expect(unit.configuration == "/etc/larder/larder.yaml")
        #expect(unit.credentials == ["newsapi.key": "larder.newsapi.key"])
        #expect(unit.hidden == ["/tmp", "/var/tmp", "/home", "/root", "/run/user"])
        #expect(unit.reader == FileReaderIdentity(user: nil, groups: []))
        let dropped = "[Service]\nUser=4711\nSupplementaryGroups=12 13\nPrivateTmp=no\nLoadCredential=\n"
        let changed = ServiceUnit(parsing: [shipped, dropped])
        #expect(changed.reader == FileReaderIdentity(user: 4711, groups: [12, 13]))
        #expect(changed.hidden == ["/home", "/root", "/run/user"] && changed.credentials.isEmpty)
    }

    @Test(
        arguments: [
            (0o600, 0, nil, false), (0o644, 0, nil, true), (0o640, 0, nil, false), (0o600, 7, 7, true),
            (0o044, 7, 7, false), (0o640, 0, 7, true), (0o604, 0, 7, false), (0o004, 9, 7, false),
        ] as [(UInt32, UInt32, UInt32?, Bool)])
    func permissionBitsDecide(_ mode: UInt32, _ owner: UInt32, _ user: UInt32?, _ isReadable: Bool) {
        let folder = FileFacts(path: "/", isFolder: true, owner: 0, group: 0, mode: 0o755)
        let file = FileFacts(path: "/f", isFolder: false, owner: owner, group: 50, mode: mode)
        let reader = FileReaderIdentity(user: user, groups: user == nil ? [] : [50])
        #expect((reader.obstacle(on: [folder, file]) == nil) == isReadable)
        let shut = FileFacts(path: "/", isFolder: true, owner: 0, group: 0, mode: 0o700)
        #expect(reader.obstacle(on: [shut, file]) == shut, "a folder in the way")
    }

    @Test func configCheckWarnsOfWhatTheServiceCannotReadWhoeverRunsIt() async throws {
        try await withScratchDirectory { directory async throws in
            let (file, key) = ("\(directory)/larder.yaml", "\(directory)/newsapi.key")
            try "providers: { newsapi: { key: \"file:\(key)\" } }\n".write(
                toFile: file, atomically: false, encoding: .utf8)
            try "a-key\n".write(toFile: key, atomically: false, encoding: .utf8)
            #expect(chmod(directory, 0o755) == 0 && chmod(file, 0o644) == 0 && chmod(key, 0o600) == 0)
            let unit =
                "[Service]\nExecStart=/usr/bin/larder serve --config \(file)\nDynamicUser=yes\nCapabilityBoundingSet=\n"
            try unit.write(toFile: "\(directory)/larder.service", atomically: false, encoding: .utf8)
            let environment = ["SYSTEMD_UNIT_PATH": directory]
            let warned = await larder("config", "check", file, environment: environment)
            #expect(warned.status == .done, "\(warned)")
            #expect(
                warned.text.contains("warning: providers.newsapi.key: \(key): larder.service runs as a user of its own")
            )
            #expect(
                warned.text.contains("(mode 0600, of user ")
                    && warned.text.contains("/etc/credstore/larder.newsapi.key"))
            #expect(chmod(key, 0o644) == 0 && chmod(file, 0o640) == 0)
            let other = await larder("config", "check", file, environment: environment)
            #expect(other.text.contains("warning: \(file): ") && !other.text.contains("providers.newsapi.key"))
            #expect(chmod(file, 0o644) == 0)
            let quiet = await larder("config", "check", file, environment: environment)
            #expect(!quiet.text.contains("warning"), "\(quiet)")
            let elsewhere = await larder("config", "check", file, environment: ["SYSTEMD_UNIT_PATH": "/nowhere"])
            #expect(!elsewhere.text.contains("warning"), "without a service nobody else reads: \(elsewhere)")
        }
    }

    @Test(arguments: [("newsapi.key", false), ("own.key", true), ("imgur.clientSecret", true)])
    func aCredentialThatTheUnitDoesNotLoadIsAdvisedWithItsLine(_ name: String, _ isNeeded: Bool) {
        var unit = ServiceUnit(parsing: [shipped])
        unit.configuration = "/etc/hostname"
        let secret = SecretFile(setting: "providers.\(name)", path: "/root/\(name)", credential: name)
        let warning = unit.warnings(file: "/etc/hostname", secrets: [secret]).first ?? ""
        #expect(warning.contains("/etc/credstore/larder.\(name)"), "\(warning)")
        #expect(warning.contains("LoadCredential=\(name):larder.\(name)") == isNeeded, "\(warning)")
    }

    @Test func whatTheServiceDoesNotSeeItCannotRead() {
        var unit = ServiceUnit(parsing: [shipped])
        unit.configuration = "/etc/hostname"
        let secret = SecretFile(setting: "providers.tmdb.key", path: "/root/tmdb.key", credential: "tmdb.key")
        let warnings = unit.warnings(file: "/etc/hostname", secrets: [secret])
        #expect(warnings.count == 1 && warnings.first?.contains("sees nothing of /root") == true, "\(warnings)")
    }

    @Test func aFileIsFoundWhereItsLinkLeads() async throws {
        try await withScratchDirectory { directory async throws in
            try "a-key\n".write(toFile: "\(directory)/real", atomically: false, encoding: .utf8)
            #expect(chmod("\(directory)/real", 0o644) == 0)
            let link = "/var/run/../..\(directory)/link"
            #expect(symlink("\(directory)/real", "\(directory)/link") == 0)
            var unit = ServiceUnit(parsing: [shipped])
            unit.configuration = "/etc/hostname"
            let secret = SecretFile(setting: "providers.tmdb.key", path: link, credential: "tmdb.key")
            let warnings = unit.warnings(file: "/etc/hostname", secrets: [secret])
            #expect(warnings.count == 1 && warnings.first?.contains("sees nothing of /tmp") == true, "\(warnings)")
        }
    }
}
