// The response bodies of this interface by name: the components of `/openapi.json`, and the content that a route
// declares for a response.
import LarderProviders

/// A schema with a name.
enum InterfaceComponent: String, Sendable, CaseIterable {
    case envelope = "Envelope"
    case localEnvelope = "LocalEnvelope"
    case liveSearch = "LiveSearch"
    case source = "Source"
    case sourceError = "SourceError"
    case result = "Result"
    case price = "Price"
    case artwork = "Artwork"
    case problem = "Problem"
    case status = "Status"
    case providerStatus = "ProviderStatus"
    case limit = "Limit"
    case explanation = "Explanation"
    case explainedSource = "ExplainedSource"
    case rule = "Rule"
    case providerSnapshot = "ProviderSnapshot"
    case providerEvent = "ProviderEvent"
    case upload = "Upload"
    case deleted = "Deleted"
    case signInStart = "SignInStart"
    case signedIn = "SignedIn"
    case signedOut = "SignedOut"
    case mcpAnswer = "MCPAnswer"
    case consoleLink = "ConsoleLink"
    case consoleToken = "ConsoleToken"
    case account = "Account"
    case purge = "Purge"
    case resumed = "Resumed"
    case settings = "Settings"
    case suspended = "Suspended"
    case requests = "Requests"
    case requestEvent = "RequestEvent"
    case request = "Request"
    case history = "History"
    case entries = "Entries"
    case entry = "Entry"
    case entryDetail = "EntryDetail"
    case fleet = "Fleet"
}

/// The content of a response body.
enum AnswerContent: Sendable {
    /// JSON of that schema.
    case schema(InterfaceComponent)
    /// The envelope with results of that provider.
    case results(ProviderAbout)
    /// Server-sent events: the schema of the data by event name.
    case events([String: InterfaceComponent])
    case text
    case html
    case binary

    var mediaType: String {
        switch self {
        case .schema(.problem): "application/problem+json"
        case .schema, .results: "application/json"
        case .events: "text/event-stream"
        case .text: "text/plain"
        case .html: "text/html"
        case .binary: "*/*"
        }
    }
}
