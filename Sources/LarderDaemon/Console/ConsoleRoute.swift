// The console at `/`: pages that show the results of the daemon's routes, and their files. A page calls the routes
// within the daemon with the authority of its own request. Text from results is inserted as text only (`Markup`).
//
// A search spends upstream calls, and a link on any page may lead to `/?q=…`. So the page searches without a click only
// after a navigation that this origin or the user began (`Sec-Fetch-Site: same-origin` and `none`, Fetch Metadata
// §2.3). No page can cause `none`; a link in another program can, and costs one search. After any other navigation, and
// when a browser fetches the page before the user presses Enter, the page fills in the field and waits.
import LarderConsole
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

enum ConsoleRoute {
    /// A page as a whole document.
    static func page(_ view: ConsoleView, _ parts: RouteParts, _ call: RouteCall) async throws(ClientFacingError)
        -> ServerResponse
    {
        let query = try call.request.parameters()
        let text: String
        switch view {
        case .search:
            let question = SearchQuestion(query)
            let runs = searchesByItself(call.request.fields)
            // A browser that runs scripts sends the search itself, and shows each source when it has answered.
            let isAsked = runs && question.isPlain && !question.term.isEmpty
            let status = await ask("/v1/status", parts, call)
            text = SearchPage.render(
                question, sources: status.providers, runs: runs,
                answer: isAsked ? await ask(question.target, parts, call) : .none)
        case .now:
            text = NowPage.render(
                query, providers: await providers(parts, call),
                answer: await ask(target("/v1/requests", NowPage.filters, query), parts, call))
        case .overTime:
            let range = HistoryRange(query["span"])
            text = OverTimePage.render(
                range, now: call.request.receivedAt,
                answer: await ask("/v1/history?span=\(range.source)", parts, call))
        case .providers:
            text = ProvidersPage.render(answer: await ask("/v1/status", parts, call))
        case .store:
            var query = query
            if query["order"] == nil { query.items.append(.init("order", StorePage.usualOrder)) }
            text = StorePage.render(
                query, providers: await providers(parts, call),
                answer: await ask(target("/v1/entries", StorePage.filters, query), parts, call))
        }
        var response = response("text/html; charset=utf-8", Bytes(text: text), call.name)
        if view == .search { response.fields.set(.vary, "Sec-Fetch-Site, Sec-Purpose, Purpose") }
        return response
    }

    /// The page for a path without a route. Programs get a problem in JSON instead.
    static func nothing(at path: String) -> ServerResponse {
        var response = response("text/html; charset=utf-8", Bytes(text: NowherePage.render(path: path)), .nowhere)
        response.status = 404
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// A style sheet, a script module or an image.
    static func file(_ name: String, _ call: RouteCall) throws(ClientFacingError) -> ServerResponse {
        guard let file = ConsoleFile.named(name) else {
            throw ClientFacingError(
                status: 404, code: "noSuchFile", detail: "The console has no file of that name.",
                allowed: ConsoleFile.names)
        }
        var response = response(file.type, file.body, call.name)
        response.fields.set(.etag, file.etag)
        let isKnown =
            Conditional.evaluate(
                method: call.request.method, requestFields: call.request.fields, status: 200,
                etag: EntityTag.parse(file.etag), lastModified: nil, now: call.request.receivedAt, role: .origin)
            == .notModified
        if isKnown {
            response.status = 304
            response.body = .empty
            response.fields.remove(.contentType)
        }
        return response
    }

    /// The description with which a browser adds the page as a search engine (OpenSearch).
    static func openSearch(_ call: RouteCall) -> ServerResponse {
        let host = call.request.fields.first(.host).flatMap { $0.isEmpty ? nil : $0 } ?? "localhost"
        return response(OpenSearch.type, Bytes(text: OpenSearch.description(host: host)), call.name)
    }

    /// Whether the page runs the search in `?q=` without a click.
    static func searchesByItself(_ fields: HeaderFields) -> Bool {
        let sites = fields.all(.secFetchSite)
        return (sites == ["same-origin"] || sites == ["none"])
            && !fields.contains("Sec-Purpose") && !fields.contains("Purpose")
    }

    // MARK: Asking the other routes

    /// Calls another route for this request's client and returns the result.
    /// - Parameter target: the request target; its route must not need authority.
    private static func ask(_ target: String, _ parts: RouteParts, _ call: RouteCall) async -> ConsoleAnswer {
        await AskingClient.$current.withValue(AskingClient.current?.asPerson) {
            do throws(ClientFacingError) {
                return read(try await InnerRequest.ask(target, parts, call))
            } catch {
                return error.code == "noSuchRoute"
                    ? .problem("This daemon does not have this information.") : .problem(error.detail)
            }
        }
    }

    private static func read(_ response: ServerResponse) -> ConsoleAnswer {
        let bytes: Bytes
        switch response.body {
        case .bytes(let whole): bytes = whole
        case .slices(let pieces): bytes = pieces.reduce(into: Bytes()) { $0.append(contentsOf: $1) }
        case .empty: return .problem("The answer could not be read.")
        case .stream(let reader, _):
            reader.abandon()
            return .problem("The answer could not be read.")
        }
        guard let value = try? JSON.parse(bytes) else { return .problem("The answer could not be read.") }
        return response.status < 400 ? .answer(value) : .problem(value["detail"]?.string ?? "It failed.")
    }

    /// The target of a route, with those of the page's filters that have a value.
    private static func target(_ path: String, _ filters: [String], _ query: QueryParameters) -> String {
        let items = filters.compactMap { name in
            query[name].flatMap { $0.isEmpty ? nil : QueryParameters.Item(name, $0) }
        }
        return items.isEmpty ? path : "\(path)?\(QueryParameters(items).encoded)"
    }

    private static func providers(_ parts: RouteParts, _ call: RouteCall) async -> [ProviderName] {
        await ask("/v1/status", parts, call).providers.compactMap(ProviderName.init)
    }

    private static func response(_ type: String, _ body: Bytes, _ route: RouteName) -> ServerResponse {
        ServerResponse(
            status: 200,
            fields: OwnPage.fields(
                type: type,
                permits: "img-src 'self'; form-action 'self'; trusted-types 'none'; require-trusted-types-for 'script'",
                cacheControl: "no-cache"),
            body: .bytes(body), route: route)
    }
}
