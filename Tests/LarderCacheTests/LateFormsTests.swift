// The forms of a response that memory makes at its first hit.
import LarderCache
import LarderCore
import Testing

@Suite struct LateFormsTests {
    @Test func theFormsOfAResponseAreMadeAtItsFirstHit() {
        let tier = TierCase(budget: 1 << 20)
        let made = Lock(0)
        let whole = tier.response([1, 2, 3], head: 50)
        let bare = ReadyResponse(
            head: [], body: whole.body, bornAt: whole.bornAt, freshUntil: whole.freshUntil, hits: tier.hits)
        let forms = LateForms(byteCount: 50) { body in
            made.withLock { $0 += 1 }
            return ReadyResponse(whole, body: body)
        }
        let key = Sample.key("/a").digest
        tier.tier.insert(
            listener: 0, target: Bytes(text: "/a"), takesGzip: nil, response: bare, forms: forms, key: key,
            stamp: tier.tier.readyStamp([key], of: ["p"]), now: Sample.now)
        #expect(made.withLock { $0 } == 0)
        for _ in 0..<3 {
            let found = tier.ready("/a")
            #expect(found?.head == whole.head && found?.body == whole.body)
        }
        #expect(made.withLock { $0 } == 1)
        #expect(tier.ready("/b") == nil)
    }

    @Test func theFormsOfAResponseThatWasReplacedMeanwhileAreNotKept() {
        let tier = TierCase(budget: 1 << 20)
        let (old, new) = (tier.response([1], head: 50), tier.response([2], head: 60))
        let key = Sample.key("/a").digest
        @Sendable func insert(_ response: ReadyResponse, _ forms: LateForms?) {
            tier.tier.insert(
                listener: 0, target: Bytes(text: "/a"), takesGzip: nil, response: response, forms: forms, key: key,
                stamp: tier.tier.readyStamp([key], of: ["p"]), now: Sample.now)
        }
        func bare(_ body: Bytes) -> ReadyResponse {
            ReadyResponse(head: [], body: body, bornAt: old.bornAt, freshUntil: old.freshUntil, hits: tier.hits)
        }
        // Another response takes the place while the forms are made.
        let later = bare([2])
        insert(
            bare([1]),
            LateForms(byteCount: 50) { body in
                insert(later, LateForms(byteCount: 60) { ReadyResponse(new, body: $0) })
                return ReadyResponse(old, body: body)
            })
        #expect(tier.ready("/a")?.head == old.head)
        #expect(tier.ready("/a")?.head == new.head && tier.ready("/a")?.body == [2])
    }
}
