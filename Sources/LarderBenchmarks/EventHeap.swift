// The pending events of a simulation in virtual time, ordered by their instants.

/// Events ordered by their instants. Events of the same instant come in the order in which they were added.
struct EventHeap<Event> {
    private var items: [(at: Int64, number: Int, event: Event)] = []
    private var count = 0

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (items[left].at, items[left].number) < (items[right].at, items[right].number)
    }

    mutating func add(_ event: Event, at: Int64) {
        count += 1
        items.append((at, count, event))
        var place = items.count - 1
        while place > 0, isBefore(place, (place - 1) / 2) {
            items.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func take() -> (at: Int64, event: Event)? {
        guard let first = items.first else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < items.count && isBefore(child, least) {
                least = child
            }
            if least == place { break }
            items.swapAt(place, least)
            place = least
        }
        return (first.at, first.event)
    }
}
