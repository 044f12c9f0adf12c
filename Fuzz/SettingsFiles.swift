// A settings file from any bytes: it is read whole or refused with reasons, each at a place inside the file, and what was
// read is read alike again.
// Fuzzes: LarderSettings LarderYAML LarderCore/Units.swift LarderCore/Parameter.swift
import LarderCore
import LarderSettings

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = Bytes(UnsafeBufferPointer(start: start, count: count))
    // A file named by a secret would be read; which one is the file system's affair and not this parser's.
    if text.lossyText.contains("file:") { return 0 }
    let loader = SettingsLoader()
    let environment = ["HOME": "/nowhere"]
    let lines = text.reduce(1) { $1 == 0x0A || $1 == 0x0D ? $0 + 1 : $0 }
    do {
        let settings = try loader.load(text: text, named: "f", environment: environment)
        guard let again = try? loader.load(text: text, named: "f", environment: environment) else {
            preconditionFailure("read once and not again")
        }
        precondition(again.effective == settings.effective)
    } catch {
        precondition(!error.issues.isEmpty, "refused without a reason")
        for issue in error.issues {
            precondition(!issue.message.isEmpty)
            // libyaml also counts U+0085, U+2028 and U+2029 as line ends, each of which has more than one byte.
            if case .file(_, let line, let column) = issue.origin {
                precondition(line >= 1 && column >= 1 && line <= lines + count)
            }
        }
    }
    return 0
}
