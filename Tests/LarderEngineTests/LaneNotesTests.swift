// The notes of the lanes that wait to be written: in order, bounded, with the last value of each name.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct LaneNotesTests {
    private let time = WallTime(seconds: 1_767_225_600)

    private func add(_ note: LaneNotes.Note, to notes: inout LaneNotes) {
        let isIn = notes.add(note)
        #expect(isIn)
    }

    private func expect(next note: LaneNotes.Note?, of notes: inout LaneNotes) {
        let next = notes.next()
        #expect(next == note)
    }

    @Test func aValueThatStillWaitsGivesItsPlaceToTheNextOfItsName() {
        var notes = LaneNotes()
        for note in [LaneNotes.Note.value("a", [1]), .value("b", [1]), .value("a", [2])] { add(note, to: &notes) }
        expect(next: .value("a", [2]), of: &notes)
        expect(next: .value("b", [1]), of: &notes)
        expect(next: nil, of: &notes)
        #expect(notes.added == 2)
    }

    @Test func whatIsJustBeingWrittenIsWrittenAgainWhereItChanges() {
        var notes = LaneNotes()
        add(.value("a", [1]), to: &notes)
        expect(next: .value("a", [1]), of: &notes)
        add(.value("a", [2]), to: &notes)
        notes.wrote()
        #expect(notes.written < notes.added)
        expect(next: .value("a", [2]), of: &notes)
    }

    @Test func aValueThatCouldNotBeWrittenIsTriedAgain() {
        var notes = LaneNotes()
        add(.value("a", [1]), to: &notes)
        expect(next: .value("a", [1]), of: &notes)
        let isPlanned = notes.failed(.value("a", [1]))
        #expect(isPlanned)
        notes.wrote()
        expect(next: nil, of: &notes)
        notes.tryAgain()
        expect(next: .value("a", [1]), of: &notes)
    }

    @Test func aNewerValueTakesThePlaceOfOneThatCouldNotBeWritten() {
        var notes = LaneNotes()
        add(.value("a", [1]), to: &notes)
        expect(next: .value("a", [1]), of: &notes)
        _ = notes.failed(.value("a", [1]))
        notes.wrote()
        add(.value("a", [2]), to: &notes)
        notes.tryAgain()
        expect(next: .value("a", [2]), of: &notes)
        expect(next: nil, of: &notes)
    }

    @Test func callsAreNotTriedAgain() {
        var notes = LaneNotes()
        let isPlanned = notes.failed(.redirected(provider: "a", at: time))
        #expect(!isPlanned)
    }

    @Test func callsKeepTheirOrderAndAreBounded() {
        var notes = LaneNotes()
        for number in 0..<LaneNotes.most {
            add(.unsent(provider: "itunes", at: [time + .seconds(Int64(number))]), to: &notes)
        }
        let hasRoom = notes.add(.unsent(provider: "itunes", at: [time]))
        #expect(!hasRoom)
        expect(next: .unsent(provider: "itunes", at: [time]), of: &notes)
        expect(next: .unsent(provider: "itunes", at: [time + .seconds(1)]), of: &notes)
    }
}
