// Values of the shared tier: whole, forged, damaged, or of another key.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite struct SharedCodecTests {
    let codec = SharedCodec(key: "0123456789abcdef0123456789abcdef")
    let now = WallTime(seconds: 1_795_176_000)
    let name = Bytes(text: "larder:v1:name")
    let generations = SharedGenerations(
        global: SharedGeneration(high: 1, low: 2), provider: SharedGeneration(high: 3, low: 4))

    func key(_ path: String = "/a") -> CacheKey {
        CacheKey(layer: .raw, provider: "itunes", endpoint: "GET", parameters: [KeyParameter("path", path)])
    }

    func entry(_ body: String = "{}", fields: HeaderFields = ["Content-Type": "application/json", "X": ""])
        -> StoredResponse
    {
        StoredResponse(
            key: key(), layer: .raw, provider: "itunes", endpoint: "search", isNegative: true, status: 404,
            reason: "Not Found", fields: fields, body: Bytes(text: body), requestTime: now,
            responseTime: now + .seconds(1),
            initialAge: 1500, freshUntil: now + .seconds(60), staleUntil: now + .seconds(90),
            parents: [key("/b").digest], normaliserVersion: 7, label: "GET https://a/ä")
    }

    func question(_ key: CacheKey? = nil, ahead: Duration = .zero) -> SharedCodec.Question {
        SharedCodec.Question(
            key: key ?? self.key(), name: name, generations: generations, ahead: ahead, maxObject: 1 << 20)
    }

    func encoded(_ entry: StoredResponse, ahead: Duration = .zero) -> Bytes {
        codec.encode(entry, generations, name: name, ahead: ahead)
    }

    func miss(_ value: Bytes, _ question: SharedCodec.Question) -> SharedCodec.Miss? {
        do throws(SharedCodec.Miss) {
            _ = try codec.decode(value, question)
            return nil
        } catch {
            return error
        }
    }

    @Test func aValueIsTheAnswerItWasMadeOf() throws {
        let entry = entry()
        let read = try codec.decode(encoded(entry), question())
        #expect(read.key == entry.key && read.layer == .raw && read.provider == "itunes" && read.endpoint == "search")
        #expect(read.isNegative && read.status == 404 && read.reason == "Not Found" && read.fields == entry.fields)
        #expect(read.body == entry.body && read.initialAge == 1500 && read.normaliserVersion == 7)
        #expect(read.requestTime == entry.requestTime && read.responseTime == entry.responseTime)
        #expect(read.freshUntil == entry.freshUntil && read.staleUntil == entry.staleUntil)
        #expect(read.parents == entry.parents && read.label == entry.label)
    }

    @Test func hostsWhoseClocksAreApartReadTheSameTimeLeft() throws {
        // The engine's clock is ten minutes ahead of the writer's, and an hour behind the reader's.
        let value = encoded(entry(), ahead: .seconds(600))
        let read = try codec.decode(value, question(ahead: .seconds(-3600)))
        let readersNow = now + .seconds(600) + .seconds(3600)
        #expect(read.freshUntil - readersNow == .seconds(60))
    }

    @Test func aLargeTextIsCompressedAndComesBackWhole() throws {
        let entry = entry(String(repeating: "the same again, ", count: 10_000))
        let value = encoded(entry)
        #expect(value.count < entry.body.count / 10)
        #expect(try codec.decode(value, question()).body == entry.body)
    }

    @Test func aBodyThatIsCodedAlreadyStaysAsItIs() throws {
        let entry = entry(String(repeating: "a", count: 5000), fields: ["Content-Encoding": "gzip"])
        #expect(encoded(entry).count > 5000)
    }

    @Test func aValueOfAnotherFleetsKeyIsForged() {
        let other = SharedCodec(key: "another key of thirty-two signs!")
        #expect(miss(other.encode(entry(), generations, name: name, ahead: .zero), question()) == .forged)
    }

    @Test func aValueUnderAnothersNameIsForged() {
        let moved = codec.encode(entry(), generations, name: Bytes(text: "larder:v1:other"), ahead: .zero)
        #expect(miss(moved, question()) == .forged)
    }

    @Test func aValueOfAnotherQuestionIsAMiss() {
        #expect(miss(encoded(entry()), question(key("/c"))) == .otherKey)
    }

    @Test func aValueOfBeforeARemovalIsAMiss() {
        var question = question()
        question.generations.provider = SharedGeneration(high: 9, low: 9)
        #expect(miss(encoded(entry()), question) == .removed)
    }

    @Test func noCutAndNoChangedByteIsAnAnswer() {
        let value = encoded(entry())
        for count in 0..<value.count { #expect(miss(Bytes(value.prefix(count)), question()) != nil) }
        for place in value.indices {
            var damaged = value
            damaged[place] ^= 0x55
            #expect(miss(damaged, question()) != nil)
        }
    }

    @Test func damageUnderTheRightKeyIsAMissAndNoTrap() {
        let value = encoded(entry())
        let signed = Bytes(value.dropLast(32))
        var prefix = Bytes(repeating: 0, count: 7) + [UInt8(name.count)]
        prefix += name
        for place in 5..<signed.count {
            for bit in [0x80, 0x01] as [UInt8] {
                var damaged = signed
                damaged[place] ^= bit
                let code = codec.key.code(of: prefix + damaged)
                // Some damaged values are other valid responses. The test only checks that nothing traps.
                _ = miss(damaged + code.bytes, question())
            }
        }
    }

    @Test func aBodyThatGrowsPastTheLimitIsAMiss() {
        var question = question()
        question.maxObject = 100
        #expect(miss(encoded(entry(String(repeating: "a", count: 5000))), question) == .unreadable)
    }
}
