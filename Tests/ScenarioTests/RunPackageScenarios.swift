// The tools that fetch packages and sources, unchanged, under `larder run`: what one has fetched, the next gets from
// the cache. Each runs twice with nothing of its own kept in between. pip, git and apt ask anew for what can change
// (their requests say no-cache or max-age=0), so it is the packages themselves that are asked for once.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RunPackageScenarios {
    typealias Scheme = FileSite.Scheme

    @Test(arguments: Scheme.allCases) func pipDownloadsAWheelOnce(_ scheme: Scheme) async throws {
        guard ToolProcess.exists("pip"), ToolProcess.exists("python3") else { return }
        try await FileSite.with(scheme) { site in
            try await site.make(Self.wheel)
            // pip takes nothing over plain http from a host that is not named.
            let trust = scheme == .http ? "--trusted-host \(FileSite.host)" : ""
            let told = try await site.run(
                """
                for place in one two; do
                    pip download -q --no-deps --no-cache-dir --disable-pip-version-check \(trust) \\
                        --index-url \(site.base)/simple -d $place tiny
                done
                cmp one/tiny-1.0-py3-none-any.whl two/tiny-1.0-py3-none-any.whl
                """, ["PIP_CONFIG_FILE": "/dev/null"])
            #expect(site.count(of: "/files/tiny-1.0-py3-none-any.whl") == 1)
            #expect(told.contains("4 requests, 1 without a call"), "\(told)")
        }
    }

    /// An index with one package (https://packaging.python.org/specifications/simple-repository-api/).
    private static let wheel = """
        mkdir -p simple/tiny files
        echo '<a href="../../files/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>' > simple/tiny/index.html
        python3 - <<'END'
        from zipfile import ZipFile
        with ZipFile('files/tiny-1.0-py3-none-any.whl', 'w') as wheel:
            about = 'tiny-1.0.dist-info'
            wheel.writestr('tiny.py', 'size = 1')
            wheel.writestr(about + '/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
            wheel.writestr(about + '/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
            wheel.writestr(about + '/RECORD', '')
        END
        """

    @Test(arguments: Scheme.allCases) func gitClonesTheObjectsOfARepositoryOnce(_ scheme: Scheme) async throws {
        guard ToolProcess.exists("git") else { return }
        try await FileSite.with(scheme) { site in
            try await site.make(
                """
                export GIT_CONFIG_NOSYSTEM=1
                git init -q ../work
                echo text > ../work/file
                git -C ../work add file
                git -C ../work -c user.name=A -c user.email=a@b.example commit -q -m "Add a file"
                git clone -q --bare ../work tiny.git
                git -C tiny.git update-server-info
                """)
            try await site.run(
                """
                git clone -q \(site.base)/tiny.git one
                git clone -q \(site.base)/tiny.git two
                cmp one/file two/file
                """, ["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"])
            let objects = site.asked.filter { $0.hasPrefix("/tiny.git/objects/") }
            #expect(objects.count >= 3 && Set(objects).count == objects.count, "\(site.asked)")
        }
    }

    @Test(arguments: Scheme.allCases) func npmFetchesAPackageOnce(_ scheme: Scheme) async throws {
        guard ToolProcess.exists("npm") else { return }
        try await FileSite.with(scheme) { site in
            try await site.make(
                """
                mkdir -p package npm
                echo '{ "name": "tiny", "version": "1.0.0" }' > package/package.json
                tar -czf npm/tiny-1.0.0.tgz package
                cat > npm/tiny <<'END'
                { "name": "tiny", "dist-tags": { "latest": "1.0.0" }, "versions": { "1.0.0":
                    { "name": "tiny", "version": "1.0.0", "dist": { "tarball": "\(site.base)/npm/tiny-1.0.0.tgz" } } } }
                END
                """)
            let told = try await site.run(
                """
                for place in one two; do
                    mkdir $place
                    npm pack --silent --registry \(site.base)/npm/ --cache "$HOME/cache-$place" \\
                        --pack-destination $place tiny
                done
                cmp one/tiny-1.0.0.tgz two/tiny-1.0.0.tgz
                """,
                ["npm_config_globalconfig": "/dev/null", "npm_config_update_notifier": "false"])
            #expect(site.asked == ["/npm/tiny", "/npm/tiny-1.0.0.tgz"])
            #expect(told.contains("4 requests, 2 without a call"), "\(told)")
        }
    }

    @Test(arguments: Scheme.allCases) func aptDownloadsAPackageOnce(_ scheme: Scheme) async throws {
        guard ToolProcess.exists("apt-get"), ToolProcess.exists("dpkg-deb") else { return }
        try await FileSite.with(scheme) { site in
            try await site.make(
                """
                mkdir -p tiny/DEBIAN
                cat > tiny/DEBIAN/control <<'END'
                Package: tiny
                Version: 1.0
                Architecture: all
                Maintainer: A <a@b.example>
                Description: tiny
                END
                dpkg-deb --build --root-owner-group tiny tiny.deb
                sum=$(sha256sum tiny.deb | cut -d ' ' -f 1)
                { cat tiny/DEBIAN/control; echo "Filename: ./tiny.deb"; echo "SHA256: $sum"
                  echo "Size: $(wc -c < tiny.deb)"; } > Packages
                """)
            try await site.run(Self.apt(site.base))
            #expect(site.count(of: "/tiny.deb") == 1, "\(site.asked)")
        }
    }

    /// apt with a folder of its own instead of the machine's (apt.conf(5)). It knows no variable for roots, and reads
    /// the file with the rights of the sandbox's user.
    private static func apt(_ base: String) -> String {
        """
        for place in one two; do
            d="$HOME/$place"
            mkdir -p "$d/etc/apt.conf.d" "$d/etc/preferences.d" "$d/lists/partial" "$d/archives/partial"
            touch "$d/status"
            echo "deb [trusted=yes] \(base) ./" > "$d/etc/sources.list"
            cat > "$d/apt.conf" <<END
        Dir::Etc "$d/etc";
        Dir::Etc::trusted "$d/none";
        Dir::Etc::trustedparts "$d/none";
        Dir::State::lists "$d/lists";
        Dir::State::status "$d/status";
        Dir::Cache "$d";
        Dir::Log "$d";
        Acquire::Languages "none";
        Acquire::https::CAInfo "$SSL_CERT_FILE";
        APT::Sandbox::User "root";
        END
            cd "$d"
            APT_CONFIG="$d/apt.conf" apt-get -q update
            APT_CONFIG="$d/apt.conf" apt-get -q download tiny
        done
        cmp "$HOME/one/tiny_1.0_all.deb" "$HOME/two/tiny_1.0_all.deb"
        """
    }

    @Test(arguments: Scheme.allCases) func cargoFetchesACrateOnce(_ scheme: Scheme) async throws {
        guard try await Self.hasCargo() else { return }
        try await FileSite.with(scheme) { site in
            try await site.make(
                """
                mkdir -p tiny-1.0.0/src index/ti/ny
                printf '[package]\\nname = "tiny"\\nversion = "1.0.0"\\nedition = "2021"\\n' > tiny-1.0.0/Cargo.toml
                touch tiny-1.0.0/src/lib.rs
                tar -czf tiny-1.0.0.crate tiny-1.0.0
                sum=$(sha256sum tiny-1.0.0.crate | cut -d ' ' -f 1)
                echo '{ "dl": "\(site.base)/{crate}-{version}.crate" }' > index/config.json
                printf '{"name":"tiny","vers":"1.0.0","deps":[],"cksum":"%s","features":{},"yanked":false}\\n' \\
                    "$sum" > index/ti/ny/tiny
                mkdir -p ../user/src
                touch ../user/src/lib.rs
                printf '[package]\\nname = "user"\\nversion = "1.0.0"\\nedition = "2021"\\n' > ../user/Cargo.toml
                printf '[dependencies]\\ntiny = { version = "1", registry = "local" }\\n' >> ../user/Cargo.toml
                """)
            let told = try await site.run(
                """
                cd user
                for place in one two; do
                    rm -f Cargo.lock
                    CARGO_HOME="$HOME/$place" cargo fetch
                done
                cmp "$HOME"/one/registry/cache/*/tiny-1.0.0.crate "$HOME"/two/registry/cache/*/tiny-1.0.0.crate
                """,
                [
                    "CARGO_REGISTRIES_LOCAL_INDEX": "sparse+\(site.base)/index/", "RUSTUP_HOME": Self.rustupHome,
                ])
            #expect(site.asked == ["/index/config.json", "/index/ti/ny/tiny", "/tiny-1.0.0.crate"])
            #expect(told.contains("6 requests, 3 without a call"), "\(told)")
        }
    }

    /// Where rustup, if cargo is its, keeps the toolchains.
    private static var rustupHome: String {
        for (name, below) in [("RUSTUP_HOME", ""), ("HOME", "/.rustup")] {
            if let value = getenv(name) { return String(cString: value) + below }
        }
        return ""
    }

    /// Whether cargo knows indexes over HTTP (1.68). Before, each index was a git repository.
    private static func hasCargo() async throws -> Bool {
        guard ToolProcess.exists("cargo") else { return false }
        let version = try await ToolProcess.run(["cargo", "--version"], environment: ["RUSTUP_HOME": rustupHome]).text
        let number = version.split(separator: " ").dropFirst().first ?? ""
        let numbers = number.split(separator: ".").compactMap { Int($0) }
        return numbers.count >= 2 && (numbers[0], numbers[1]) >= (1, 68)
    }
}
