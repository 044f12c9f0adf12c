// The lane of a provider whose budget keeps calls for a person.
import LarderCache
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct KeptBudgetTests {
    private let now = Moment(wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1))
    private let end = MonotonicTime(nanoseconds: 1) + .seconds(60)

    private func lane(_ rule: BudgetShares.Rule) -> ProviderLane {
        ProviderLane(
            budget: CallBudget(rate: CallRate(calls: 10, per: .seconds(60)), quota: nil), shares: BudgetShares(rule),
            suspension: SuspensionMachine(), suspends: true)
    }

    private func take(_ count: Int, of lane: ProviderLane, _ user: CallUser) {
        for _ in 0..<count { #expect(lane.admit(user, isProbe: false, now: now).admission == .granted) }
    }

    @Test func whatIsLeftForAPersonIsRefusedToOthersAsKept() {
        let lane = lane(.init(reserve: 20))
        let (mass, person) = (CallUser(tool: "mass"), CallUser(tool: "mass", urgency: .person))
        take(8, of: lane, mass)
        #expect(lane.permit(mass, now: now) == .kept(until: end))
        #expect(lane.admit(mass, isProbe: false, now: now).admission == .kept(until: end))
        #expect(lane.permit(person, now: now) == .granted)
        take(2, of: lane, person)
        #expect(lane.permit(person, now: now) == .spent(until: end))
        #expect(lane.permit(mass, now: now) == .spent(until: end))
    }

    @Test func aToolGetsItsShareThoughAnotherTakesAllItCan() {
        let lane = lane(.init(tools: ["editor": 30]))
        let (mass, editor) = (CallUser(tool: "mass"), CallUser(tool: "editor"))
        take(7, of: lane, mass)
        #expect(lane.permit(mass, now: now) == .kept(until: end))
        take(3, of: lane, editor)
        #expect(lane.permit(editor, now: now) == .spent(until: end))
        #expect(lane.toolUse(now: now).mapValues(\.rate) == ["mass": 7, "editor": 3])
    }

    @Test func aTrialThatIsRefusedForOthersIsLeftToTheNextCaller() {
        let lane = lane(.init(reserve: 20))
        take(8, of: lane, CallUser())
        let until = lane.suspension.suspend(for: .seconds(10), now: now.monotonic).until
        let later = Moment(wall: now.wall + .seconds(10), monotonic: until)
        #expect(lane.permit(CallUser(), now: later) == .kept(until: end))
        #expect(lane.permit(CallUser(urgency: .person), now: later) == .probe)
    }

    @Test func aCallThatBecomesUrgentWhileItWaitsMayUseTheReserve() throws {
        var table = LaneTable()
        table.add("p", lane(.init(reserve: 20)))
        var numbers: [UInt64] = []
        for _ in 0..<9 {
            guard case .entered(let number) = table.enter("p", now: now) else { continue }
            numbers.append(number)
        }
        for number in numbers.prefix(8) {
            guard case .unwritten = table.take(number, now: now, refusal: { _, _ in nil }) else {
                Issue.record("it is refused")
                return
            }
        }
        let last = try #require(numbers.last)
        guard case .unwritten = table.take(last, .person, now: now, refusal: { _, _ in nil }) else {
            Issue.record("it is refused though a person waits")
            return
        }
    }

    @Test func aCallThatIsGivenBackIsNotCountedForItsTool() throws {
        var table = LaneTable()
        table.add("p", lane(.init()))
        guard case .entered(let number) = table.enter("p", CallUser(tool: "editor"), now: now) else {
            Issue.record("it is refused")
            return
        }
        _ = table.take(number, now: now, refusal: { _, _ in nil })
        #expect(table.lanes["p"]?.toolUse(now: now)["editor"]?.rate == 1)
        _ = table.reserved(number, failure: nil, now: now, refusal: { _, _ in nil })
        let attempt = table.settle(number)
        table.giveBack(try #require(attempt), now: now)
        #expect(table.lanes["p"]?.toolUse(now: now)["editor"]?.rate == 0)
    }
}
