// A page in the browser, used as a person uses it: opened, read, clicked, typed into. JavaScript expressions query the
// state of the page.
import Glibc
import LarderCore

/// One page. Its calls block, so they belong in `onOwnThread`.
public struct BrowserPage: Sendable {
    private let browser: Browser
    private let session: String

    init(browser: Browser, session: String) throws {
        self.browser = browser
        self.session = session
        for domain in ["Page", "Runtime", "Log", "Audits", "Network"] { try call("\(domain).enable") }
        try setScreen(width: 1280)
    }

    @discardableResult
    private func call(_ method: String, _ parameters: (inout JSONWriter) -> Void = { _ in }) throws -> JSONValue {
        try browser.call(method, session: session, parameters)
    }

    // MARK: The screen

    public func setScreen(width: Int, height: Int = 900, isDark: Bool = false) throws {
        try call("Emulation.setDeviceMetricsOverride") { writer in
            writer.member("width", width)
            writer.member("height", height)
            writer.member("deviceScaleFactor", 1)
            writer.member("mobile", false)
        }
        try call("Emulation.setEmulatedMedia") { writer in
            writer.name("features")
            writer.array { writer in
                writer.object { writer in
                    writer.member("name", "prefers-color-scheme")
                    writer.member("value", isDark ? "dark" : "light")
                }
            }
        }
    }

    public func disableScripts() throws {
        try call("Emulation.setScriptExecutionDisabled") { $0.member("value", true) }
    }

    /// Bypasses the page's Content Security Policy, so a test can inject a script.
    public func passOverPolicy() throws { try call("Page.setBypassCSP") { $0.member("enabled", true) } }

    /// Saves a screenshot in the folder named by LARDER_SCREENSHOTS. Does nothing if the variable is not set.
    public func keepPicture(_ name: String) throws {
        guard let folder = getenv("LARDER_SCREENSHOTS").map({ String(cString: $0) }) else { return }
        let answer = try call("Page.captureScreenshot") { $0.member("format", "png") }
        guard let text = answer["data"]?.string else { throw WireError("no picture of \(name)") }
        let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        guard let bytes = Base64URL.decode(url), let file = fopen("\(folder)/\(name).png", "w") else {
            throw WireError("\(folder)/\(name).png cannot be written")
        }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    // MARK: Going somewhere

    /// Opens a URL as if it was typed into the address bar, and waits until the document is loaded.
    public func open(_ url: String) throws {
        let answer = try call("Page.navigate") { $0.member("url", url) }
        if let error = answer["errorText"]?.string { throw WireError("\(url): \(error)") }
        try wait("\(url) is loaded") { try has("document.readyState === 'complete'") }
    }

    public func goBack() throws { _ = try value("history.back()") }

    // MARK: Looking

    /// The value of an expression.
    public func value(_ expression: String) throws -> JSONValue? {
        let answer = try call("Runtime.evaluate") { writer in
            writer.member("expression", expression)
            writer.member("returnByValue", true)
            writer.member("awaitPromise", true)
            writer.member("userGesture", true)
        }
        if let failure = answer["exceptionDetails"] {
            throw WireError("\(expression): \(failure.raw.lossyText.prefix(500))")
        }
        return answer["result"]?["value"]
    }

    /// Whether an expression is true. Also false if the evaluation fails, for example while another document loads.
    public func has(_ expression: String) throws -> Bool { (try? value("!!(\(expression))"))??.bool ?? false }

    /// Waits until an expression is true.
    public func waitFor(_ expression: String, fileID: String = #fileID, line: Int = #line) throws {
        try wait(expression, fileID: fileID, line: line) { try has(expression) }
    }

    /// The displayed text of the first element that matches the selector.
    public func text(_ selector: String) throws -> String {
        try value("document.querySelector(\(quoted(selector)))?.innerText ?? ''")?.string ?? ""
    }

    /// The number of elements that match the selector.
    public func count(_ selector: String) throws -> Int {
        try value("document.querySelectorAll(\(quoted(selector))).length")?.integer ?? 0
    }

    private func wait(
        _ what: String, fileID: String = #fileID, line: Int = #line, _ condition: () throws -> Bool
    ) throws {
        do {
            try blockUntil(what, fileID: fileID, line: line) {
                if try condition() { return true }
                poll(nil, 0, 15)
                return false
            }
        } catch {
            let text = (try? value("document.body.innerText.slice(0, 1500)"))??.string ?? ""
            throw WireError("\(error); the page says: \(text); complaints: \(complaints)")
        }
    }

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes.lossyText
    }

    // MARK: Acting

    public func click(_ selector: String) throws {
        guard try has("document.querySelector(\(quoted(selector)))") else { throw WireError("no \(selector) to click") }
        _ = try value("document.querySelector(\(quoted(selector))).click()")
    }

    /// Types into an element, character by character.
    public func type(_ text: String, into selector: String) throws {
        _ = try value("document.querySelector(\(quoted(selector))).focus()")
        for letter in text {
            try call("Input.insertText") { $0.member("text", String(letter)) }
        }
    }

    /// Presses a key: "Enter", "Escape", "Tab", "ArrowLeft".
    public func press(_ key: String) throws {
        let codes = ["Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37]
        for type in ["keyDown", "keyUp"] {
            try call("Input.dispatchKeyEvent") { writer in
                writer.member("type", type)
                writer.member("key", key)
                writer.member("code", key)
                writer.member("windowsVirtualKeyCode", codes[key] ?? 0)
                if key == "Enter" { writer.member("text", "\r") }
            }
        }
    }

    // MARK: What went wrong

    /// The browser's complaints about the page so far: violations of its policy, script errors, and warnings and errors
    /// on the console. A picture that fails to load is not reported, because the API may no longer have it.
    public var complaints: [String] {
        browser.events(of: session).compactMap { event in
            let said = "\(event.method): \(event.parameters.raw.lossyText.prefix(500))"
            switch event.method {
            case "Runtime.exceptionThrown": return said
            case "Runtime.consoleAPICalled":
                return ["error", "warning", "assert"].contains(event.parameters["type"]?.string) ? said : nil
            case "Log.entryAdded":
                let entry = event.parameters["entry"]
                let isPicture = entry?["url"]?.string?.contains("/v1/artwork/") ?? false
                return entry?["level"]?.string == "error" && !isPicture ? said : nil
            case "Audits.issueAdded":
                let code = event.parameters["issue"]?["code"]?.string
                // Chromium reports history entries that were added without a user action with this code.
                return code == "GenericIssue" ? nil : said
            default: return nil
            }
        }
    }
}
