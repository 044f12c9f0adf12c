// The rule of `OrderRecord` finds what it must find, and nothing else.
import Testing

@Suite struct OrderRecordTests {
    private var record = OrderRecord()

    private mutating func ask(_ choice: String = "a") -> Int {
        record.questions.append(OrderRecord.Question(choice: choice, asked: record.instant()))
        return record.questions.count - 1
    }

    private mutating func call(_ kind: OrderRecord.Kind, for question: Int) -> Int {
        record.calls.append(
            OrderRecord.Call(
                question: question, choice: record.questions[question].choice, kind: kind, received: record.instant()))
        return record.calls.count - 1
    }

    private mutating func release(_ call: Int) { record.calls[call].released = record.instant() }

    private mutating func get(_ question: Int, _ content: Int, isWhole: Bool = true) {
        record.questions[question].headCame = record.instant()
        record.questions[question].content = content
        if isWhole { record.questions[question].wholeCame = record.instant() }
    }

    private mutating func remove() {
        record.removals.append(OrderRecord.Removal(what: "purge", earliest: record.instant(), done: record.instant()))
    }

    /// A question that is answered by a call of its own.
    private mutating func miss(_ kind: OrderRecord.Kind, _ choice: String = "a") -> Int {
        let question = ask(choice)
        let call = call(kind, for: question)
        release(call)
        get(question, call)
        return call
    }

    /// What is wrong if a new question gets the content.
    private mutating func fault(_ content: Int, _ choice: String = "a") -> String? {
        let question = ask(choice)
        get(question, content)
        return record.fault(of: question)
    }

    @Test mutating func aHitIsNoFault() {
        let first = miss(.stored)
        #expect(fault(first) == nil)
        #expect(fault(first, "b") == nil)
    }

    @Test mutating func whatWasRemovedIsAFaultAndWhatCameAfterwardsIsNone() {
        let first = miss(.stored)
        remove()
        #expect(fault(first)?.contains("older than the purge") == true)
        #expect(fault(miss(.stored)) == nil)
    }

    @Test mutating func whatWasAskedForBeforeARemovalIsAFaultForWhoAsksAfterItAndNoneForWhoWaited() {
        let waiting = ask()
        let call = call(.stored, for: waiting)
        remove()
        release(call)
        get(waiting, call)
        #expect(record.fault(of: waiting) == nil)
        #expect(fault(call) != nil)
    }

    @Test mutating func whatAConfirmationFromAfterARemovalBringsIsNoFault() {
        let first = miss(.stored)
        remove()
        let question = ask()
        release(call(.confirmation(of: first), for: question))
        get(question, first)
        #expect(record.fault(of: question) == nil)
        #expect(fault(first) == nil)
    }

    @Test(arguments: [OrderRecord.Kind.stored, .variant, .unstored, .absence])
    mutating func anOlderAnswerAfterANewerOneIsAFault(_ kind: OrderRecord.Kind) {
        let first = miss(.stored)
        let second = miss(kind)
        #expect(fault(first)?.contains("newer answer \(second)") == true)
    }

    @Test mutating func anAnswerThatDoesNotSuitReplacesNothing() {
        let first = miss(.variant)
        _ = miss(.variant, "b")
        _ = miss(.unstored, "b")
        _ = miss(.serverError)
        #expect(fault(first) == nil)
        #expect(fault(first, "b") != nil, "it is another variant")
    }

    @Test mutating func theLaterHeadCountsAndNotTheLaterRequest() {
        let early = ask()
        let slow = call(.stored, for: early)
        let quick = miss(.stored)
        release(slow)
        get(early, slow)
        #expect(fault(slow) == nil)
        #expect(fault(quick) != nil)
    }

    @Test mutating func anAnswerToARequestThatForbidsStoringReplacesNothing() {
        let first = miss(.stored)
        let alone = ask()
        record.questions[alone].isAlone = true
        let newer = call(.stored, for: alone)
        release(newer)
        get(alone, newer)
        #expect(fault(first) == nil)
    }

    @Test mutating func aNewerAnswerThatIsNotYetWholeReplacesNothing() {
        let first = miss(.stored)
        let waiting = ask()
        let newer = call(.stored, for: waiting)
        release(newer)
        get(waiting, newer, isWhole: false)
        #expect(fault(first) == nil)
    }

    @Test mutating func aConfirmationThatComesAfterANewerAnswerReplacesNothing() {
        let first = miss(.stored)
        let slow = ask()
        let confirmation = call(.confirmation(of: first), for: slow)
        let newer = miss(.stored)
        release(confirmation)
        get(slow, first)
        #expect(fault(newer) == nil)
    }

    @Test mutating func aConfirmedContentReplacesAnOlderOne() {
        let first = miss(.variant)
        let plain = miss(.stored, "b")
        let question = ask()
        release(call(.confirmation(of: first), for: question))
        get(question, first)
        #expect(fault(plain) != nil)
        #expect(fault(plain, "b") == nil)
    }

    @Test mutating func anAnswerThatWasReplacedBeforeItWasWholeReplacesNothing() {
        let first = miss(.variant, "b")
        let waiting = ask()
        let plain = call(.stored, for: waiting)
        release(plain)
        _ = miss(.variant)
        get(waiting, plain)
        #expect(fault(first, "b") == nil)
    }

    @Test mutating func anAnswerThatARemovalMayHaveMadeOutdatedReplacesNothing() {
        let waiting = ask()
        let outdated = call(.stored, for: waiting)
        remove()
        let first = miss(.stored)
        release(outdated)
        get(waiting, outdated)
        #expect(fault(first) == nil)
    }

    @Test mutating func aNotFoundReplacesAlsoIfItMayNotBeStored() {
        let first = miss(.stored)
        let alone = ask()
        record.questions[alone].isAlone = true
        let gone = call(.absence, for: alone)
        release(gone)
        get(alone, gone)
        #expect(fault(first) != nil)
    }

    @Test mutating func contentThatWasNotSentYetIsAFault() {
        let waiting = ask()
        let early = call(.stored, for: waiting)
        #expect(fault(early) != nil)
    }

    /// A limit of today's order, see Docs/Decisions/0031.
    @Test mutating func anAnswerThatCouldNotBeCommittedReplacesNoBodyThatIsStillArriving() {
        let early = ask()
        let slow = call(.variant, for: early)
        release(slow)
        get(early, slow, isWhole: false)
        record.commits(fail: true)
        _ = miss(.stored, "b")
        #expect(fault(slow) == nil)
        _ = miss(.unstored)
        #expect(fault(slow) != nil)
    }

    @Test mutating func aNewerAnswerThatNobodyHadYetReplacesNothing() {
        let first = miss(.stored)
        let waiting = ask()
        release(call(.stored, for: waiting))
        #expect(fault(first) == nil)
    }
}
