// The clients that people use, unchanged, under `larder run`: each asks twice over https, and the API is asked once.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RunClientScenarios {
    /// A client, and the script that asks the URL once with it.
    struct Client: Sendable, CustomTestStringConvertible {
        var name: String
        /// The program that it needs.
        var program: String
        /// A module of Python that it needs.
        var module: String?
        var script: @Sendable (String) -> String
        var testDescription: String { name }
    }

    private static func python(_ module: String, _ code: @escaping @Sendable (String) -> String) -> Client {
        Client(name: "python \(module)", program: "python3", module: module) { url in
            "python3 -c \"\(code(url))\""
        }
    }

    static let clients = [
        Client(name: "curl", program: "curl") { "curl -sSf -o /dev/null '\($0)'" },
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
    ]

    @Test(arguments: clients) func itIsAMissOnceAndAHitAfterwards(_ client: Client) async throws {
        guard ToolProcess.exists(client.program) else { return }
        if let module = client.module {
            let found = try await ToolProcess.run(["python3", "-c", "import \(module)"])
            guard found.status == 0 else { return }
        }
        try await RunScenarios.withDaemon { larder, origin, environment in
            let ask = client.script("https://itunes.apple.com/search?term=jack+johnson&limit=5")
            let path = ToolProcess.path
            let process = try CommandProcess(
                ["run", "--", "sh", "-c", "\(ask) && \(ask)"], environment: environment.merging(["PATH": path]) { $1 },
                in: larder.directory)
            let end = try await onOwnThread { process.waitForEnd() }
            #expect(end == .exited(0), "\(process.errors)")
            #expect(origin.requests.count == 1)
            #expect(process.errors.contains("2 requests, 1 without a call"), "\(process.errors)")
        }
    }
}
