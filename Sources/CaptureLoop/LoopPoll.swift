import CCaptureShims
import CaptureSystem
import Glibc
import Synchronization

/// The descriptors that a loop waits for, and the doorbell that wakes it. Confined to the loop, except for ``ring()``.
///
/// Unchecked: only the loop's thread touches what changes.
package final class LoopPoll: @unchecked Sendable {
  /// A source's place in the table. A place may be used again; the generation distinguishes the old source from the new one.
  package struct Place { fileprivate var index, generation: UInt32 }

  private struct Slot {
    weak var source: (any LoopSource)?
    var descriptor: Int32 = -1
    var generation: UInt32 = 0
    var account: LoopAccount?
    /// What the source is ready for, until it is called; empty: it does not wait to be called.
    var ready = Readiness()

    mutating func takeReady() -> (source: (any LoopSource)?, Readiness) {
      defer { ready = [] }
      return (source, ready)
    }
  }

  /// Readable when a source is ready. A Dispatch source watches it while the loop is away.
  var descriptor: Int32 { epoll }

  /// -1 once it is closed, since another file may have its number by then.
  private var epoll: Int32
  private let isOpen = Mutex(true)
  private let doorbell: Int32
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var queue = ReadyQueue()
  /// The account whose work is under way, and since when the time is charged to it.
  private var served: (account: LoopAccount, since: UInt64)?
  /// When the kernel was last asked which sources are ready.
  private var lastCollection: UInt64 = 0
  private let events: UnsafeMutablePointer<epoll_event>
  private static let mostEvents = 1_024
  private static let doorbellPlace = UInt64.max
  private var hasNanoseconds = true
  var policy = PollPolicy()

  /// The longest time, in nanoseconds, until the loop sees sources that become ready while it serves others.
  private static let collectionInterval: UInt64 = 250_000
  /// How many nanoseconds a turn may serve sources of one account. Then the work that this caused is done, before other accounts are served.
  private static let batch: UInt64 = 50_000

  /// Takes two descriptors. Throws `EMFILE` where these would be inside the streams' reserve.
  init() throws(Errno) {
    let poll = try DescriptorReserve.streams.descriptor { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    let bell = try DescriptorReserve.streams.descriptor {
      eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }
    epoll = poll.release()
    doorbell = bell.release()
    // There is room for all ready sources. Otherwise the kernel would report some of them only after others had their turn.
    events = .allocate(capacity: Self.mostEvents)
    // The doorbell is edge-triggered, so nobody has to read it.
    try control(EPOLL_CTL_ADD, doorbell, EPOLLIN.rawValue | EPOLLET.rawValue, Self.doorbellPlace)
  }

  deinit {
    close()
    events.deallocate()
  }

  /// Wakes the loop. It does nothing once the loop is closed, since a caller may not know of that yet.
  func ring() { isOpen.withLock { isOpen in if isOpen { eventfd_write(doorbell, 1) } } }

  /// Closes the descriptors: nothing is watched any more, and nothing can be.
  func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      Glibc.close(epoll)
      epoll = -1
      Glibc.close(doorbell)
    }
  }

  /// Watches a descriptor until ``remove(_:)``, which must come before the descriptor is closed. Throws where the kernel has no room for it, and
  /// `EBADF` once the loop has ended. `account`: the account to which the loop's time is charged; `nil`: none, and the source is called before those
  /// that have an account.
  package func add(
    _ descriptor: Int32, _ source: any LoopSource, for wanted: Readiness = .readable,
    account: LoopAccount? = nil
  ) throws(Errno) -> Place {
    let index = free.popLast() ?? slots.count
    if index == slots.count { slots.append(Slot()) }
    let place = Place(index: UInt32(index), generation: slots[index].generation)
    do throws(Errno) {
      try control(EPOLL_CTL_ADD, descriptor, wanted.rawValue, data(place))
    } catch {
      free.append(index)
      throw error
    }
    slots[index].source = source
    slots[index].descriptor = descriptor
    slots[index].account = account
    return place
  }

  /// Changes what a source waits for. The kernel reports errors and hangups in any case, but only once to a source that waits for nothing.
  package func change(_ place: Place, to wanted: Readiness) {
    let events = wanted.isEmpty ? EPOLLET.rawValue : wanted.rawValue
    try? control(EPOLL_CTL_MOD, slots[Int(place.index)].descriptor, events, data(place))
  }

  package func remove(_ place: Place) {
    let index = Int(place.index)
    // This fails with EBADF once the loop has ended.
    try? control(EPOLL_CTL_DEL, slots[index].descriptor, 0, 0)
    slots[index].source = nil
    slots[index].account = nil
    slots[index].ready = []
    slots[index].generation &+= 1
    free.append(index)
  }

  /// Waits until a source is ready, but for `nanoseconds` at most. Returns how many sources are ready.
  package func wait(nanoseconds: UInt64) -> Int {
    if hasNanoseconds, nanoseconds > 0 {
      var timeout = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      let count = epoll_pwait2(epoll, events, Int32(Self.mostEvents), &timeout, nil)
      guard count < 0, errno != EINTR else { return Int(count) }
      // Linux before 5.11 does not have this call, and a sandbox may forbid it.
      hasNanoseconds = false
    }
    // Rounded up: a shorter wait would end before a timer is due.
    let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    return Int(
      epoll_wait(epoll, events, Int32(Self.mostEvents), Int32(min(milliseconds, 3_600_000))))
  }

  /// Whether a source waits to be called.
  var hasReady: Bool { !queue.isEmpty }

  /// Whether to ask the kernel now: no source waits, or those that do have been served for a while.
  func isCollectionDue(at now: UInt64) -> Bool {
    queue.isEmpty || now &- lastCollection >= Self.collectionInterval
  }

  /// Queues the sources that the latest wait found ready.
  func collect(_ count: Int, at now: UInt64) {
    lastCollection = now
    for index in 0..<max(count, 0) {
      let event = events[index]
      let data = event.data.u64
      guard data != Self.doorbellPlace else { continue }
      let slot = Int(data & 0xFFFF_FFFF)
      guard slots[slot].generation == UInt32(data >> 32) else { continue }
      let isWaiting = !slots[slot].ready.isEmpty
      // The source sees an error or a hangup when it reads or writes.
      let isBroken = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
      let readiness = Readiness(rawValue: event.events).intersection([.readable, .writable])
      slots[slot].ready = isBroken ? [.readable, .writable] : readiness
      if !isWaiting, !slots[slot].ready.isEmpty { queue.add(slot, of: slots[slot].account) }
    }
  }

  /// Calls all ready sources that have no account. If there are none, it calls those of the next account for up to ``batch``, and charges the work
  /// until ``endTurn(at:without:goesOn:)`` to that account. Returns `false` where no source's turn has come.
  ///
  /// `hasWork`: jobs that the calls of an earlier turn caused have not been started. The accounts wait for them: each that is served causes more jobs,
  /// and all clients would wait for all of these.
  func serve(at now: UInt64, hasWork: Bool) -> Bool {
    var hasServed = false
    while let slot = queue.nextUnaccounted() { hasServed = call(slot) || hasServed }
    if hasWork { served?.since = hasServed ? MonotonicClock.now() : now }
    guard !hasServed, !hasWork, let account = queue.nextAccount() else { return hasServed }
    served = (account, now)
    repeat {
      guard let slot = queue.next(of: account) else { break }
      _ = call(slot)
    } while MonotonicClock.now() &- now < Self.batch
    return true
  }

  /// Calls a source. Returns `false` where it has been removed meanwhile.
  private func call(_ slot: Int) -> Bool {
    let (source, ready) = slots[slot].takeReady()
    guard !ready.isEmpty, let source else { return false }
    source.ready(ready)
    return true
  }

  /// Charges the time of the turn that is over to the account that was served in it. The next turn begins with this, since a turn's jobs and endings
  /// run outside of the poll. `foreign`: how many nanoseconds of that turn were spent on other threads' work. `goesOn`: the account has work left, and
  /// the time of the next turn is charged to it, too.
  func endTurn(at now: UInt64, without foreign: UInt64, goesOn: Bool) {
    guard let (account, since) = served else { return }
    served = goesOn ? (account, now) : nil
    let spent = now &- since
    queue.charge(spent > foreign ? spent - foreign : 0, to: account)
  }

  private func data(_ place: Place) -> UInt64 { UInt64(place.generation) << 32 | UInt64(place.index) }

  private func control(
    _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ data: UInt64
  ) throws(Errno) {
    var event = epoll_event(events: events, data: epoll_data_t(u64: data))
    guard epoll_ctl(epoll, operation, descriptor, &event) == 0 else { throw Errno.current }
  }
}

/// A descriptor's handler that a loop calls.
package protocol LoopSource: AnyObject {
  /// Called in a turn of the loop, and again as long as the descriptor is ready and the source waits for it.
  func ready(_ readiness: Readiness)
}

/// What a descriptor is ready for.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// `EPOLLIN`
  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  /// `EPOLLOUT`
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
}
