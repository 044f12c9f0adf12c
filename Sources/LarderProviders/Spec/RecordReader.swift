// The records of one answer become results, one after the other: those that the question wants, and that it chooses.
import LarderCore

struct RecordReader {
    private let answer: AnswerSpec
    private let asked: AskedQuestion
    private let result: ResultSpec
    private let shapes: [ShapeSpec]
    private let base: AnswerBase?
    private let choices: [ChoiceSpec]
    private var members: JSONRecord?
    private(set) var all = 0
    private(set) var matching = 0
    var results: ResultList

    // More than six parameters: what an answer is read for.
    init(
        answer: AnswerSpec, asked: AskedQuestion, result: ResultSpec, shapes: [ShapeSpec], base: AnswerBase?,
        choices: [ChoiceSpec], results: ResultList
    ) {
        (self.answer, self.asked, self.result, self.shapes) = (answer, asked, result, shapes)
        (self.base, self.choices, self.results) = (base, choices, results)
        members = answer.table.map { JSONRecord($0) }
    }

    /// - Parameter response: the answer that the element stands in.
    mutating func take(_ element: JSONValue, in response: UpstreamResponse) {
        all += 1
        guard let record = answer.each.map({ $0.first(in: element) }) ?? element else {
            return results.drop(.notAnObject)
        }
        if let places = asked.places, !places.contains(all - 1) { return }
        guard choices.allSatisfy({ $0.holds(for: record, asked.values[$0.parameter]) }) else {
            return lacksSomething(record) ? results.drop(result.anyReason ?? result.idReason) : results.leaveOut()
        }
        matching += 1
        if let chosen = asked.chosen, !chosen.contains(matching - 1) { return results.leaveOut() }
        guard results.count < ResultList.most else { return results.leaveOut() }
        answer.expand(record, response) { add($0, from: $1) }
    }

    /// - Parameter source: the API's own record.
    private mutating func add(_ record: JSONValue, from source: JSONValue) {
        guard results.count < ResultList.most else { return results.leaveOut() }
        members?.load(record)
        let known = SpecRecord(record, members)
        if shapes.isEmpty || record.kind != .object {
            result.add(known, of: asked.provider, base, from: source, to: &results)
        } else if let shape = shapes.first(where: { $0.condition.holds(for: known) }) {
            shape.result.add(known, as: shape.kind(of: known), of: asked.provider, base, from: source, to: &results)
        } else {
            results.drop(.kind)
        }
    }

    /// Whether a record that is not chosen is counted as dropped. If all records are counted, one without an id is. If
    /// there is one reason for every defect, one with any defect is.
    private func lacksSomething(_ record: JSONValue) -> Bool {
        answer.counts == .records && result.id.text(of: record) == nil
            || result.anyReason != nil && !answer.isWhole(record)
    }
}
