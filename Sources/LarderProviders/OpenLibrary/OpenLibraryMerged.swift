// A work that was merged into another one. Its record is of the type "/type/redirect" and names the other's path in
// `location`, which is asked for next.
import LarderCore

struct OpenLibraryMerged: CallPlan {
    static let plan = PlanFunction("openlibrary.merged") { asked, call, answer in
        OpenLibraryMerged(asked: asked, answer: answer, call: call)
    }

    private static let path = TextPattern("^/works/OL[0-9]{1,17}W$")

    let asked: AskedQuestion
    let answer: AnswerSpec
    var call: PlannedCall
    /// The calls that are left: works may be merged several times, and never in a circle.
    private var left = 4

    init(asked: AskedQuestion, answer: AnswerSpec, call: PlannedCall) {
        (self.asked, self.answer, self.call) = (asked, answer, call)
    }

    mutating func next(_ brought: [CallOutcome], _ signer: ArtworkSigner) throws(NormaliseError) -> PlanStep {
        if let response = brought.first?.response {
            let record = try AnswerSpec.read(response, of: asked.provider)
            guard record["type"]?["key"]?.string == "/type/redirect" else {
                return .done(try answer.results(response, to: asked, signer))
            }
            guard let location = record["location"]?.string, Self.path.matches(location) else {
                throw NormaliseError(
                    provider: asked.provider, message: "The work was merged, but does not say into which.")
            }
            guard left > 0 else {
                throw NormaliseError(provider: asked.provider, message: "The work was merged more than three times.")
            }
            call.request.path = location + ".json"
        }
        left -= 1
        return .fetch([call])
    }
}
