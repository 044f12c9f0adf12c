// The clients that people use, unchanged, under `larder run`: each asks twice, over https and over plain http, and the
// origin is asked once.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RunClientScenarios {
    /// A client, and the script that asks the URL once with it.
    struct Client: Sendable, CustomTestStringConvertible {
        var name: String
        /// The program that it needs.
        var program: String
        /// What must succeed, if the program alone is not enough.
        var check: [String]?
        /// Its source, if it is a file in the directory where it runs.
        var file: (name: String, text: String)?
        var script: @Sendable (String) -> String
        var testDescription: String { name }
    }

    private static func python(_ module: String, _ code: @escaping @Sendable (String) -> String) -> Client {
        Client(name: "python \(module)", program: "python3", check: ["python3", "-c", "import \(module)"]) { url in
            "python3 -c \"\(code(url))\""
        }
    }

    /// `fetch` of Node knows the variables of proxies since 22.21 and 24.
    private static let nodeCheck = """
        const [major, minor] = process.versions.node.split('.').map(Number)
        process.exit(major >= 24 || major === 22 && minor >= 21 ? 0 : 1)
        """

    private static let java = """
        class Ask {
            public static void main(String[] words) throws Exception {
                var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(words[0])).build();
                var answer = java.net.http.HttpClient.newHttpClient().send(
                    request, java.net.http.HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) throw new Exception(answer.toString());
            }
        }
        """

    private static let oldJava = """
        class Ask {
            public static void main(String[] words) throws Exception {
                var connection = (java.net.HttpURLConnection) new java.net.URL(words[0]).openConnection();
                connection.getInputStream().readAllBytes();
            }
        }
        """

    private static let go = """
        package main; import ("io"; "net/http"; "os")

        func main() {
            answer, err := http.Get(os.Args[1])
            if err != nil || answer.StatusCode != 200 {
                println(answer, err)
                os.Exit(1)
            }
            io.Copy(io.Discard, answer.Body)
        }
        """

    static let clients = [
        Client(name: "curl", program: "curl") { "curl -sSf -o /dev/null '\($0)'" },
        // As `fetch` of Node asks for plain http.
        Client(name: "curl in a tunnel", program: "curl") { "curl -sSf -p -o /dev/null '\($0)'" },
        Client(name: "wget", program: "wget") { "wget -q -O /dev/null '\($0)'" },
        python("urllib") { "import urllib.request as u; assert u.urlopen('\($0)').status == 200" },
        python("requests") { "import requests as r; r.get('\($0)').raise_for_status()" },
        python("httpx") { "import httpx as h; h.get('\($0)').raise_for_status()" },
        python("aiohttp") { url in
            """
            aiohttp, asyncio = __import__('aiohttp'), __import__('asyncio')
            async def ask():
                async with aiohttp.ClientSession(trust_env=True) as s:
                    async with s.get('\(url)') as r:
                        r.raise_for_status(); await r.read()
            asyncio.run(ask())
            """
        },
        Client(name: "node fetch", program: "node", check: ["node", "-e", nodeCheck]) { url in
            "node -e \"fetch('\(url)').then(a => a.text().then(() => process.exit(a.ok ? 0 : 1)))\""
        },
        // A single file needs no compiler run since 11.
        Client(name: "java HttpClient", program: "javac", file: ("Ask.java", java)) { "java Ask.java '\($0)'" },
        Client(name: "java HttpURLConnection", program: "javac", file: ("Ask.java", oldJava)) {
            "java Ask.java '\($0)'"
        },
        Client(name: "go", program: "go", file: ("ask.go", go)) { "GOTOOLCHAIN=local go run ask.go '\($0)'" },
    ]

    private static func has(_ client: Client) async throws -> Bool {
        guard ToolProcess.exists(client.program) else { return false }
        guard let check = client.check else { return true }
        return try await ToolProcess.run(check).status == 0
    }

    @Test(arguments: clients) func itIsAMissOnceAndAHitAfterwards(_ client: Client) async throws {
        guard try await Self.has(client) else { return }
        try await RunScenarios.withDaemon { larder, origin, environment in
            if let file = client.file { larder.directory.write(file.name, file.text) }
            let ask = client.script("https://itunes.apple.com/search?term=jack+johnson&limit=5")
            let path = ToolProcess.path
            let process = try CommandProcess(
                ["run", "--", "sh", "-c", "cd \"$HOME\"; \(ask) && \(ask)"],
                environment: environment.merging(["PATH": path]) { $1 }, in: larder.directory)
            let end = try await onOwnThread { process.waitForEnd() }
            #expect(end == .exited(0), "\(process.errors)")
            #expect(origin.requests.count == 1)
            #expect(process.errors.contains("2 requests, 1 without a call"), "\(process.errors)")
        }
    }

    @Test(arguments: clients) func overPlainHTTPToo(_ client: Client) async throws {
        guard try await Self.has(client) else { return }
        try await FileSite.with(.http) { site in
            try await site.make("echo text > page")
            if let file = client.file { site.directory.write(file.name, file.text) }
            let ask = client.script("\(site.base)/page")
            let told = try await site.run("\(ask) && \(ask)")
            #expect(site.asked == ["/page"])
            #expect(told.contains("2 requests, 1 without a call"), "\(told)")
        }
    }
}
