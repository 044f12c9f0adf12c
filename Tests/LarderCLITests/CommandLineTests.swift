// The words of the command line, its help, and the pages that are made from the records of commands.
import Foundation
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderCLI

struct CommandLineTests {
    private let tool = CommandLineTool { _ throws(CommandFailure) in }

    private func command(_ name: String) throws -> Subcommand {
        try #require(tool.subcommands.first { $0.name == name })
    }

    @Test func optionsStandAnywhereInEveryForm() throws {
        let read = try ArgumentReader.read(
            ["a", "--limit=3", "--source", "x,y", "b", "--json", "--", "--not-an-option"], for: try command("search"))
        #expect(read.operands == ["a", "b", "--not-an-option"])
        #expect(read.options == ["--limit": ["3"], "--source": ["x,y"], "--json": [""]])
        let short = try ArgumentReader.read(["-o", "-", "h"], for: try command("artwork"))
        #expect(short.options == ["--output": ["-"]] && short.operands == ["h"])
    }

    @Test func whatFollowsTheCommandOfARunBelongsToIt() throws {
        let run = try command("run")
        let read = try ArgumentReader.read(["--host", "a.example", "curl", "-s", "--quiet", "--", "x"], for: run)
        #expect(read.operands == ["curl", "-s", "--quiet", "--", "x"])
        #expect(read.options == ["--host": ["a.example"]])
        #expect(try ArgumentReader.read(["--quiet", "--", "curl", "-s"], for: run).operands == ["curl", "-s"])
        #expect(!ArgumentReader.asksForHelp(["--host", "a.example", "curl", "--help"], of: run))
        #expect(ArgumentReader.asksForHelp(["--host", "a.example", "-h", "curl"], of: run))
        #expect(ArgumentReader.asksForHelp(["a", "--help"], of: try command("search")))
    }

    @Test func anOptionWithoutAValueSetsTheFirstWordOfItsParameter() {
        var option = CommandOption("--mute", "silent")
        option.set(QuestionParameter("sound", .choice(["0", "1"]), "Sound."))
        #expect(option.sets == "0")
        option.set(QuestionParameter("soft", .flag, "Soft."))
        #expect(option.sets == "1")
        option = CommandOption("--limit", value: "NUMBER", "many")
        option.set(QuestionParameter("limit", .number(1...9), "Many."))
        #expect(option.sets == nil && option.parameter?.name == "limit")
    }

    @Test(arguments: [["--limti", "3"], ["--limit"], ["--limit", "--json"], ["--json=1"], ["-x"]])
    func whatIsNoOptionIsAUsageFailure(_ words: [String]) throws {
        let search = try command("search")
        #expect { try ArgumentReader.read(words, for: search) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test func aMistypedCommandOrOptionFindsTheRightOne() async {
        #expect(
            await larder("serach").err == "larder: there is no command \"serach\"\nDid you mean \"larder search\"?\n")
        #expect(await larder("search", "--limti", "3").err.contains("Did you mean --limit?"))
        let lone = await larder("imgur").err
        #expect(lone.contains("needs one more word") && lone.contains("larder imgur upload"))
        #expect(await larder("imgur", "lgoin").err.contains("Did you mean \"larder imgur login\"?"))
        #expect(await larder("imgur", "bogus").err.contains("There is: larder imgur login, larder imgur logout"))
        let wrong = await larder("config", "bogus").err
        #expect(wrong == "larder: there is no command \"config bogus\"\nThere is: larder config check\n")
        #expect(await larder().status == .usage)
    }

    @Test func aProviderThatTakesFilesOrHasAccountsHasCommandsOfItsName() throws {
        var about = try #require(ProviderRegistry().named("jokes")).about
        #expect(ProviderCommands.of(about).isEmpty)
        about.signIn = SignInAbout(authorizePath: "/a", tokenPath: "/t", responseTypes: [.code], ownPaths: [])
        about.uploads = UploadAbout(
            collection: "scripts",
            fields: [
                .init("tone", "How dry it is.", option: .init("--tone", "how dry it is")), .init("pace", "How fast."),
            ],
            removalName: "pin")
        let commands = ProviderCommands.of(about)
        #expect(commands.map(\.name) == ["login", "logout", "status", "upload", "delete"].map { "jokes \($0)" })
        for command in commands {
            #expect(command.examples.allSatisfy { $0.command.hasPrefix("larder \(command.name)") })
            #expect(!command.examples.isEmpty && !HelpText.page(command).lowercased().contains("imgur"))
        }
        let own = Conversation.options.map(\.name)
        #expect(commands[3].options.map(\.name) == ["--tone", "--json"] + own)
        #expect(commands[4].operands == "PIN")
    }

    @Test func onlyTheWordsOfAnUploadBeginOne() {
        #expect(ProviderCommands.isUpload(["imgur", "upload", "cat.jpg"]))
        for words in [["imgur"], ["imgur", "delete"], ["jokes", "upload"], ["upload", "imgur"]] {
            #expect(!ProviderCommands.isUpload(words), "\(words)")
        }
    }

    @Test func everyCommandHasHelpAndTheUsualWordsForIt() async {
        for command in tool.subcommands {
            let words = command.name.split(separator: " ").map(String.init)
            let help = await run(words + ["--help"])
            #expect(help == (await run(["help"] + words)))
            #expect(help.hasPrefix("larder \(command.name): \(command.summary)\n"))
            #expect(command.name == "version" || !command.examples.isEmpty, "\(command.name) shows no example")
            for example in command.examples { #expect(help.contains(example.command)) }
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 130 }, "\(command.name)")
        }
        #expect(await larder("--version").text.hasPrefix("larder "))
        #expect(await larder("--help").status == .done)
    }

    @Test func theAllowedValuesOfAnOptionAreToldOnce() {
        for command in tool.subcommands {
            for option in command.options where !option.choices.isEmpty {
                let list = option.choices.joined(separator: ", ")
                #expect(HelpText.summary(option) == "\(option.summary): \(list)")
                #expect(!option.summary.contains(list) || option.choices.count == 1, "larder help \(command.name)")
            }
        }
    }

    /// A full file system must make the command fail. Scripts (and sysexits) look only at the exit status.
    @Test func anOutputThatCannotBeWrittenFailsTheCommand() async {
        let err = Lock<Bytes>([])
        var console = Console(isTerminal: false, hasColour: false, width: 80) { _ in
            false
        } complain: { bytes in
            err.withLock { $0 += bytes }
        }
        #expect(await tool.run(["version"], environment: [:], console: console) == 0, "the reader has gone")
        console.failure = { "No space left on device" }
        #expect(await tool.run(["version"], environment: [:], console: console) == 1)
        #expect(err.withLock { $0.lossyText } == "larder: standard output: No space left on device\n")
    }

    private func run(_ words: [String]) async -> String {
        let out = Lock<Bytes>([])
        let console = Console(isTerminal: false, hasColour: false, width: 80) { bytes in
            out.withLock { $0 += bytes }
            return true
        } complain: { _ in
        }
        _ = await tool.run(words, environment: [:], console: console)
        return out.withLock { $0.lossyText }
    }

    @Test func examplesUseOptionsThatExist() throws {
        for command in tool.subcommands {
            for example in command.examples {
                guard let start = example.command.firstRange(of: "larder \(command.name)") else { continue }
                let words = example.command[start.upperBound...].prefix { $0 != "|" && $0 != ">" }
                    .split(separator: " ").prefix { $0 != "--" }.map(String.init).filter {
                        $0.hasPrefix("-") && !$0.contains("'")
                    }
                for word in words {
                    let name = word.split(separator: "=").first.map(String.init) ?? word
                    #expect(command.options.contains { $0.name == name || $0.short == name }, "\(example.command)")
                }
            }
        }
    }

    @Test func theCommittedManualPageIsWhatTheRecordsSay() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let committed = try String(contentsOfFile: "/\(root)/man/larder.1", encoding: .utf8)
        #expect(
            committed == ManualPage.roff(CommandLineTool.standard.subcommands), "run: larder help --man > man/larder.1")
    }

    @Test func theManualPageTellsEveryExitStatusAndSetting() {
        let page = ManualPage.roff(tool.subcommands)
        for status in CommandStatus.allCases { #expect(page.contains("\n.B \(status.rawValue)\n")) }
        #expect(page.contains("cache.maxSize") && page.contains("providers.<name>.rate"))
        // roff must never read a line of our text as a request.
        let requests: Set<Substring> = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".BR", ".br", ".I", ".RS", ".RE", ".EX", ".EE", ".\\\"",
        ]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }

    @Test func completionsNameEveryCommandAndOption() async {
        for shell in ["bash", "zsh", "fish"] {
            let script = await larder("completions", shell).text
            for command in tool.subcommands {
                #expect(script.contains(command.name.split(separator: " ")[0]))
                for option in command.options {
                    #expect(script.contains(shell == "fish" ? "-l \(option.name.dropFirst(2)) " : option.name))
                }
            }
        }
        #expect(await larder("completions", "tcsh").status == .usage)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsKnowTheValuesOfOptions(_ shell: String) async {
        let script = await larder("completions", shell).text
        for word in ["hackernews", "ebooks", "relevance", "cache.maxSize", "providers.itunes.rate"] {
            #expect(script.contains(word), "\(word)")
        }
    }

    private static let hasFish = access("/usr/bin/fish", X_OK) == 0

    @Test(
        .enabled(if: hasFish, "SKIPPED: there is no fish here"),
        arguments: [
            ("larder pur", "purge"), ("larder search --source itu", "itunes"),
            ("larder params cache.maxS", "cache.maxSize"),
            ("larder config ", "check"), ("larder suspend hack", "hackernews"),
            ("larder purge --ke", "--key\tone entry by its key's digest, in base64url"),
        ])
    func theFishCompletionIsFish(_ typed: String, _ offered: String) async throws {
        let directory = TemporaryDirectory()
        let script = directory.write("larder.fish", await larder("completions", "fish").text)
        // fish writes below its home directory, if only folders.
        let lines = try Self.said(
            "export HOME='\(directory.path)'; fish -n '\(script)' && fish -N -c 'source \(script); complete -C \"\(typed)\"'"
        )
        let isWhole = offered.contains("\t")
        let words = lines.map { isWhole ? $0 : String($0.prefix { $0 != "\t" }) }
        // fish also offers files if an argument may be a file.
        #expect(typed.hasPrefix("larder config") ? words.contains(offered) : words == [offered], "\(lines)")
        withExtendedLifetime(directory) {}
    }

    /// The lines that a shell command wrote.
    private static func said(_ command: String) throws -> [String] {
        let shell = try #require(popen(command, "re"))
        var bytes = Bytes(repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, shell)
        #expect(pclose(shell) == 0)
        return Bytes(bytes[..<count]).lossyText.split(separator: "\n").map(String.init)
    }

    @Test func theBashCompletionIsBash() async throws {
        let script = await larder("completions", "bash").text
        // This uses a shell started by libc, not Foundation's `Process`. `Process` reads past the end of a directory
        // buffer while it looks for open descriptors, and the address sanitizer rightly ends the run.
        let directory = TemporaryDirectory()
        let asked = "COMP_WORDS=(larder pur); COMP_CWORD=1; _larder; echo ${COMPREPLY[@]}"
        let file = directory.write("completion", "\(script)\n\(asked)")
        let shell = try #require(popen("exec /bin/bash '\(file)'", "re"))
        var bytes = Bytes(repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, shell)
        #expect(pclose(shell) == 0)
        let said = Bytes(bytes[..<count]).lossyText
        #expect(said == "purge\n")
    }
}
