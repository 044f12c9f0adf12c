// The records of the settings that share budgets among tools.
import LarderCore

extension SettingsTable {
    static let tools = Parameter(
        "tools", .tools, default: nil,
        summary: """
            Tools whose calls are counted apart: a list of mappings with name, and user, token or share if wanted. \
            They take turns.
            """,
        advice: """
            - user: the user who asks over the Unix socket.
            - token: what the tool sends as Authorization: Bearer TOKEN. It is file:/path, env:NAME or the token \
            itself, of 16 bytes at least, and is never sent upstream.
            - share: the part of each rate and quota that the other tools leave to this one, such as 20 %.
            - A tool without user and token is named by X-Larder-Tool, which anybody may send. Its calls are counted \
            under its name, and it waits as others do.
            - All other clients are the tool other. larder quota --by tool shows who made how many calls.
            """,
        isSecret: true)

    static let quotaReserve = Parameter(
        "quota.reserve", .percent(0...90), default: "0 %",
        summary: "The part of each rate and quota that is left to what a person waits for, such as 10 %.",
        advice: """
            A person waits for a request with Priority: u=0, u=1 or u=2 (RFC 9218), for the command line and for the \
            console. Such a request also goes before others that wait for the same API, and refreshes go last. The \
            reserve and all shares of tools together are at most 90 %.
            """)
}
