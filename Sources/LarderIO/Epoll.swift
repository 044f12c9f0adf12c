// One epoll instance. The event word carries a slot and the slot's generation. An event fetched for a descriptor that
// was closed meanwhile, and perhaps reopened by another owner, is thus recognised and dropped.
import CLinux
import Glibc

/// The events that a descriptor is ready for. The raw value is epoll's.
public struct ReadyEvents: OptionSet, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = ReadyEvents(rawValue: larder_EPOLLIN)
    public static let writable = ReadyEvents(rawValue: larder_EPOLLOUT)
    /// The peer sends no more. Data that it sent before may still be unread.
    public static let peerEnded = ReadyEvents(rawValue: larder_EPOLLRDHUP)
    /// Both directions are closed.
    public static let hangup = ReadyEvents(rawValue: larder_EPOLLHUP)
    public static let error = ReadyEvents(rawValue: larder_EPOLLERR)
}

/// The events to report. The raw value is epoll's. Hang-up and error are always reported.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Interest(rawValue: larder_EPOLLIN)
    public static let writable = Interest(rawValue: larder_EPOLLOUT)
    public static let peerEnd = Interest(rawValue: larder_EPOLLRDHUP)
    /// Report each change once instead of as long as it lasts. The handler must then read until nothing is left.
    public static let edge = Interest(rawValue: larder_EPOLLET)
}

/// Handles the events of a descriptor. Called on the loop.
public protocol EventHandler: AnyObject {
    func ready(_ events: ReadyEvents)
}

/// Identifies a watched descriptor in its loop.
public struct Registration: Sendable, Hashable {
    let slot: UInt32
    let generation: UInt32
    let descriptor: Int32

    var word: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// The epoll descriptor and the handler of each slot. Confined to the loop's thread.
final class Epoll {
    private struct Slot {
        var generation: UInt32
        var handler: (any EventHandler)?
    }

    private let descriptor: Int32
    private var slots: [Slot] = []
    private var free: [UInt32] = []
    /// The buffer of one wait. If it is full, the remaining events come with the next turn.
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init() throws(SystemError) {
        descriptor = try Syscall.check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        events = .allocate(capacity: 256)
        events.initialize(repeating: larder_epoll_event(0, 0))
    }

    deinit {
        events.deallocate()
        Syscall.close(descriptor)
    }

    /// The number of registrations in force.
    var count: Int { slots.count - free.count }

    func add(
        _ target: Int32, _ interest: Interest, exclusive: Bool, handler: any EventHandler
    ) throws(SystemError) -> Registration {
        let slot: UInt32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot(generation: 0, handler: nil))
        }
        let generation = slots[Int(slot)].generation
        let registration = Registration(slot: slot, generation: generation, descriptor: target)
        let bits = interest.rawValue | (exclusive ? larder_EPOLLEXCLUSIVE : 0)
        do {
            try control(EPOLL_CTL_ADD, target, bits, registration.word)
        } catch {
            free.append(slot)
            throw error
        }
        slots[Int(slot)].handler = handler
        return registration
    }

    func modify(_ registration: Registration, _ interest: Interest) throws(SystemError) {
        guard isCurrent(registration) else { return }
        try control(EPOLL_CTL_MOD, registration.descriptor, interest.rawValue, registration.word)
    }

    /// Removes a registration. Must be called before the descriptor is closed. Removing twice does nothing.
    func remove(_ registration: Registration) {
        guard isCurrent(registration) else { return }
        // This fails only if the descriptor was closed before, against the rule above. The slot is freed all the same.
        try? control(EPOLL_CTL_DEL, registration.descriptor, 0, 0)
        slots[Int(registration.slot)].generation &+= 1
        slots[Int(registration.slot)].handler = nil
        free.append(registration.slot)
    }

    /// Removes every handler. Their owners close the descriptors.
    func clear() {
        for slot in slots.indices where slots[slot].handler != nil {
            slots[slot].handler = nil
            slots[slot].generation &+= 1
            free.append(UInt32(slot))
        }
    }

    private func isCurrent(_ registration: Registration) -> Bool {
        slots[Int(registration.slot)].generation == registration.generation
            && slots[Int(registration.slot)].handler != nil
    }

    private func control(_ operation: Int32, _ target: Int32, _ bits: UInt32, _ word: UInt64) throws(SystemError) {
        var event = larder_epoll_event(bits, word)
        _ = try Syscall.check("epoll_ctl") { epoll_ctl(descriptor, operation, target, &event) }
    }

    /// Waits for events and returns their number. `timeout` is in milliseconds; -1 waits without limit, 0 does not
    /// wait.
    func wait(timeout: Int32) throws(SystemError) -> Int {
        Int(
            try Syscall.check("epoll_wait") {
                epoll_wait(descriptor, events.baseAddress, Int32(events.count), timeout)
            })
    }

    /// Returns the handler of an event of the last wait; nil if its registration was removed meanwhile.
    func event(_ index: Int) -> (handler: any EventHandler, events: ReadyEvents)? {
        let word = larder_epoll_word(&events[index])
        let slot = Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
        guard slots[slot].generation == UInt32(truncatingIfNeeded: word >> 32), let handler = slots[slot].handler
        else { return nil }
        return (handler, ReadyEvents(rawValue: events[index].events))
    }
}
