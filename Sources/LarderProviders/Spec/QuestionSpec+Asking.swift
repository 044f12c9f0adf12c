// From what a client gives to the question's identity and its request. A typed question is strict; `/v1/search` fits its
// values to what the question takes.
import LarderCore

extension QuestionSpec {
    /// The question that a route asks; nil if this is not its route.
    func endpoint(
        _ path: [String], _ query: QueryParameters, of provider: SpecProvider
    ) throws(ClientFacingError) -> Endpoint? {
        guard let captures = route.values(in: path), isRoute(captures) else { return nil }
        let reader = try QuestionReader(query, allowed: own(query, captures))
        var values: [String: String] = [:]
        for (place, parameter) in parameters.enumerated() {
            if parameter.sending.wordsBy == nil {
                let reader = captures[parameter.name].map { QuestionReader(capture: parameter.name, $0) } ?? reader
                values[parameter.name] = try value(of: parameter, reader, provider)
            }
            // A rule is checked as soon as all that it names is read.
            for rule in rules where parameters.lastIndex(where: { rule.names.contains($0.name) }) == place {
                try rule.check(values, paging?.stretch(values, of: parameters)) { name in
                    parameters.contains { $0.name == name && reader.gives($0) }
                }
            }
        }
        try checkPresence(values)
        return endpoint(try resolved(values, reader, captures), of: provider)
    }

    private func value(
        of parameter: QuestionParameter, _ reader: QuestionReader, _ provider: SpecProvider
    ) throws(ClientFacingError) -> String? {
        guard let value = try parameter.value(reader) else {
            guard parameter.isRequired, !captured.contains(parameter.name) else { return nil }
            throw .missing(
                parameter.name, parameter.sending.missing ?? "\(subject) needs \(parameter.name)=….")
        }
        if parameter.sending.isTerm { try parameter.checkTerm(value, provider.about) }
        // Such a segment would lead to another path (RFC 3986 §5.2.4).
        if value == "." || value == "..", captured.contains(parameter.name) {
            throw parameter.mismatch(parameter.name, value)
        }
        return value
    }

    private func isRoute(_ captures: [String: String]) -> Bool {
        parameters.allSatisfy { parameter in
            guard let text = captures[parameter.name] else { return true }
            if let form = routeForms[parameter.name], !form.matches(text) { return false }
            guard parameter.sending.namesRoute, case .choice(let words) = parameter.form else { return true }
            return words.contains(parameter.sending.synonyms[text] ?? text)
        }
    }

    /// The parameters that there are with these values of the route.
    /// - Throws: 400 for one that there is only with other values.
    private func own(
        _ query: QueryParameters, _ captures: [String: String]
    ) throws(ClientFacingError) -> [QuestionParameter] {
        let inPath = parameters.filter { captured.contains($0.name) }.compactMap(\.sending.shared)
        let isAsked = { name in asked.contains { $0.names.contains(name) } }
        if let name = inPath.first(where: { name in !isAsked(name) && query.items.contains { $0.name == name } }) {
            throw .conflicting(name, "The path names the \(name) already.")
        }
        let own = asked.filter { parameter in
            parameter.sending.onlyBy.map { rule in captures[rule.parameter].map(rule.values.contains) ?? true } ?? true
        }
        let names = own.flatMap(\.names)
        let others = asked.flatMap(\.names).filter { !names.contains($0) }
        if let item = query.items.first(where: { others.contains($0.name) }) {
            var error = ClientFacingError.unknown(item.name, allowed: names)
            error.isConflict = true
            throw error
        }
        return own
    }

    private func checkPresence(_ values: [String: String]) throws(ClientFacingError) {
        if rules.contains(where: \.isOneOf) { return }
        if !subject.isEmpty, !terms.isEmpty, !terms.contains(where: { values[$0.name] != nil }), let first = terms.first
        {
            let names = terms.map(\.name).joined(separator: ", ")
            throw .missing(first.name, "\(subject) needs \(terms.count > 1 ? "one of: \(names)" : "\(names)=…").")
        }
    }

    /// The values with what some of them stand for, and with those whose words depend on others.
    private func resolved(
        _ given: [String: String], _ reader: QuestionReader? = nil, _ captures: [String: String] = [:]
    ) throws(ClientFacingError) -> [String: String] {
        var values = given
        // A word's meaning depends on another word even if that stands for a third one.
        var known = given
        for parameter in parameters {
            if let reader, let rule = parameter.sending.wordsBy {
                let reader = captures[parameter.name].map { QuestionReader(capture: parameter.name, $0) } ?? reader
                if let value = try parameter.value(reader, rule, known) { values[parameter.name] = value }
            }
            guard let value = values[parameter.name], let meant = parameter.sending.standsFor[value] else { continue }
            values[parameter.name] = nil
            values.merge(meant) { $1 }
            known.merge(meant) { $1 }
        }
        return values
    }

    /// The question of `/v1/search`.
    /// - Parameter row: what the search asks; its values precede those of the search.
    func endpoint(
        _ search: SearchRequest, _ row: SearchRow?, of provider: SpecProvider
    ) throws(ClientFacingError) -> Endpoint {
        let term = QuestionReader.collapsed(search.term)
        let name = row?.term ?? terms.first?.name
        guard !term.isEmpty, let asked = parameters.first(where: { $0.name == name }) else {
            throw .missing("q", "A search needs a term.")
        }
        if let category = search.category, !provider.about.categories.contains(category) {
            let sentence = provider.spec.unknownCategory ?? "\(provider.title) has no such category."
            throw .invalid("category", sentence, allowed: provider.about.categories)
        }
        try asked.checkTerm(term, provider.about)
        let shared: [String: String] = [
            "limit": search.limit.map(String.init), "sort": search.sort?.rawValue, "country": search.country,
            "language": search.language, "explicit": search.explicit.map { $0 ? "yes" : "no" },
            "category": search.category,
        ].compactMapValues { $0 }
        guard let value = asked.canonicalValue(term) else { throw asked.mismatch("q", term) }
        var values = [asked.name: value]
        for parameter in parameters {
            guard let name = parameter.sharedNames.first(where: { shared[$0] != nil }), let value = shared[name] else {
                continue
            }
            values[parameter.name] = parameter.fitted(value)
            if name == "country", values[parameter.name] == nil { throw parameter.mismatch(name, value) }
        }
        return endpoint(try resolved(values.merging(row?.values ?? [:]) { $1 }), of: provider)
    }

    /// - Parameter given: the values by the parameters' names, checked. Others have their defaults.
    private func endpoint(_ given: [String: String], of provider: SpecProvider) -> Endpoint {
        if let name = becomes.flatMap({ becomes in given[becomes.parameter].flatMap { becomes.questions[$0] } }),
            let other = provider.spec.questions.first(where: { $0.name == name })
        {
            return other.endpoint(given, of: provider)
        }
        var question = QuestionBuilder()
        var values: [String: String] = [:]
        for parameter in identity {
            if let rule = parameter.sending.unlessBy, values[rule.parameter].map(rule.values.contains) == true {
                continue
            }
            guard let value = given[parameter.name] ?? parameter.absentValue(beside: given) else { continue }
            if let rule = parameter.sending.heededBy, !rule.values.contains(values[rule.parameter] ?? "") { continue }
            values[parameter.name] = value
            if parameter.sending.isKeyedAtDefault || value != parameter.defaultText {
                parameter.add(value, to: &question)
            }
        }
        let (sent, own) = divided(values)
        let upstream = request(sent, of: provider)
        var asked = asked(values, upstream.path, of: provider)
        if let own {
            asked.values.merge(own) { $1 }
            asked.choosing += own.keys
            let wanted = paging?.stretch(values, of: parameters)
            asked.chosen = wanted.map { own.isEmpty ? 0..<$0.count : $0.start..<$0.end }
        }
        let (answer, read) = (answer, asked)
        let dialect = provider.spec.dialect.map { [KeyParameter("dialect", $0)] } ?? []
        if let plan {
            return Endpoint(
                provider: provider.about.name, name: name, parameters: question.parameters + dialect, subject: upstream,
                query: question.query, plan: plan.body(read, PlannedCall(name, upstream, role: .subject), answer))
        }
        var endpoint = Endpoint(
            provider: provider.about.name, name: name, parameters: question.parameters + dialect,
            upstream: upstream, query: question.query,
            normalise: { response, signer throws(NormaliseError) in try answer.results(response, to: read, signer) })
        if pool != nil {
            endpoint.draws = values["limit"].flatMap { Int($0) } ?? 1
            endpoint.fits = answer.fits(read)
        } else if own?.isEmpty != false {
            // Where Larder chooses out of the whole list, no other answer holds more.
            endpoint.wider = {
                wider(than: read, of: provider) + others(than: read, of: provider) + whole(of: read, of: provider)
            }
        }
        return endpoint
    }

    /// The values that are sent, and those by which Larder chooses because the API does not heed them; nil if there can be
    /// none. To choose among all, it asks for as much of the list as the API gives.
    private func divided(_ values: [String: String]) -> (sent: [String: String], own: [String: String]?) {
        var (sent, own) = (values, [String: String]())
        var canChoose = false
        for choice in answer.choices {
            guard case .using(let function) = choice.rule else { continue }
            canChoose = true
            guard let parts = values[choice.parameter].map(function.split) else { continue }
            (sent[choice.parameter], own[choice.parameter]) = (parts.sent, parts.own)
        }
        if !own.isEmpty, let paging {
            (sent[paging.count], sent[paging.start]) = (String(paging.longest), nil)
        }
        return (sent, canChoose ? own : nil)
    }

    private func request(_ values: [String: String], of provider: SpecProvider) -> UpstreamRequest {
        var items = fixed.map { QueryParameters.Item($0.name, $0.value) }
        // What stands in the route and not in the path is sent like any other.
        let told = (body?.names ?? []).union(path.names)
        for parameter in identity where !told.contains(parameter.name) {
            if let item = values[parameter.name].flatMap(parameter.item) { items.append(item) }
        }
        var inPlace: [String: String] = [:]
        for parameter in parameters where path.names.contains(parameter.name) {
            inPlace[parameter.name] = values[parameter.name].flatMap(parameter.sentText) ?? parameter.sending.apiDefault
        }
        var request = UpstreamRequest(path: path.path(inPlace), query: provider.form(of: self).encode(items))
        if answer.isFeed { request.fields.set(.accept, FeedSpec.accepted) }
        if let body {
            (request.method, request.isReadOnly) = (.post, true)
            request.fields.set(.contentType, "application/json")
            request.body = body.body(values, parameters)
        }
        return request
    }

    /// The parameters in the order of the question's identity.
    private var identity: [QuestionParameter] {
        keyOrder.isEmpty ? parameters : keyOrder.compactMap { name in parameters.first { $0.name == name } }
    }

    private func asked(_ values: [String: String], _ path: String, of provider: SpecProvider) -> AskedQuestion {
        let language =
            parameters.first { $0.sharedNames.contains("language") }.flatMap { values[$0.name] }
            ?? provider.spec.language
        let unsent = parameters.filter { !$0.sending.isSent }.map(\.name)
        let (rows, name) = (provider.spec.classification, name)
        var asked = AskedQuestion(
            provider: provider.about.name, baseURL: provider.about.defaultBaseURL, path: path, values: values,
            choosing: unsent,
            sort: values["sort"].flatMap(SortOrder.init).flatMap { ownSorts.contains($0) ? $0 : nil } ?? .relevance,
            language: language,
            limit: pool == nil && (cutsAtLimit || unsent.contains("limit")) ? values["limit"].flatMap { Int($0) } : nil)
        if rows.canSayEmpty { asked.isEmpty = { rows.saysEmpty($0, question: name) } }
        return asked
    }

    /// The question without what Larder can choose by itself. Its answer holds this one's if all that is sent is such.
    private func wider(than asked: AskedQuestion, of provider: SpecProvider) -> [WiderAnswer] {
        let sent = parameters.filter { parameter in
            parameter.sending.isSent && !captured.contains(parameter.name) && asked.values[parameter.name] != nil
        }
        guard !sent.isEmpty, sent.allSatisfy({ one in self.answer.choices.contains { $0.parameter == one.name } })
        else {
            return []
        }
        let names = sent.map(\.name)
        let request = request(asked.values.filter { !names.contains($0.key) }, of: provider)
        var asked = asked
        asked.choosing += names
        let (answer, question) = (answer, asked)
        return [
            WiderAnswer(request) { response, signer throws(NormaliseError) in
                try answer.results(outOf: response, to: question, signer)
            }
        ]
    }

    /// The question whose answer holds all records, among them this one's.
    private func whole(of asked: AskedQuestion, of provider: SpecProvider) -> [WiderAnswer] {
        guard let whole = provider.spec.questions.first(where: { $0.name == within }) else { return [] }
        return [
            WiderAnswer(whole.request([:], of: provider)) { response, signer throws(NormaliseError) in
                try answer.result(outOf: response, of: whole.answer, to: asked, signer)
            }
        ]
    }

    /// The question with another length or beginning. Its answer may hold this one's results.
    private func others(than asked: AskedQuestion, of provider: SpecProvider) -> [WiderAnswer] {
        guard let paging, let wanted = paging.stretch(asked.values) else { return [] }
        let answer = answer
        return paging.wider(than: wanted).map { other in
            WiderAnswer(request(asked.values.merging(other.values) { $1 }, of: provider)) {
                response, signer throws(NormaliseError) in
                try answer.results(wanted, of: other.stretch, in: response, to: asked, signer)
            }
        }
    }
}

extension QuestionRule {
    var isOneOf: Bool { if case .oneOf = self { true } else { false } }

    /// The parameters that the rule is about.
    fileprivate var names: [String] {
        switch self {
        case .oneOf(let names, _, _), .onlyOne(let names, _): names
        case .without(let name, let others, _): [name] + others
        case .onlyWith(let name, let other, _, _): [name, other]
        case .within(_, let names, _): names
        }
    }

    /// - Parameters:
    ///   - values: those that are read.
    ///   - stretch: the part of the list that is asked for.
    ///   - isGiven: whether a question has the parameter.
    fileprivate func check(
        _ values: [String: String], _ stretch: ListStretch?, _ isGiven: (String) -> Bool
    ) throws(ClientFacingError) {
        switch self {
        case .oneOf(let names, let blamed, let sentence):
            guard names.contains(where: isGiven) else { throw .missing(blamed, sentence) }
        case .onlyOne(let names, let sentence):
            let given = names.filter(isGiven)
            guard given.count > 1 else { return }
            throw .conflicting(
                given[1], sentence.replacing("{first}", with: given[0]).replacing("{second}", with: given[1]),
                allowed: names)
        case .without(let name, let others, let sentence):
            guard isGiven(name), let first = others.first(where: isGiven) else { return }
            throw .conflicting(name, sentence.replacing("{first}", with: first))
        case .onlyWith(let name, let other, let allowed, let sentence):
            guard isGiven(name), values[other].map(allowed.contains) != true else { return }
            throw .conflicting(name, sentence)
        case .within(let most, let names, let sentence):
            if let stretch, stretch.start >= most { throw .conflicting(names.last ?? "", sentence) }
        }
    }
}
