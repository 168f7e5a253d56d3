import CCaptureShims
import CaptureSystem
import Glibc

/// Connects to the first of a node's addresses that is reached ("Happy Eyeballs", RFC 8305). An address that does not answer is waited for together with
/// the next ones, so a route that leads nowhere delays the others by a moment only.
struct ConnectionAttempts {
  /// An address that was not reached, and why: `ECANCELED` if there was no time to try it.
  struct Failure {
    let address: SocketAddress
    let error: Errno
  }

  /// How long an address is waited for before the next one is tried beside it, in nanoseconds (RFC 8305's Connection Attempt Delay).
  private static let delay: UInt64 = 250_000_000

  /// In the order in which they came.
  private(set) var failures: [Failure] = []
  private var untried: [SocketAddress]
  private var connecting: [Attempt] = []
  /// When the next address is tried. It is at once after one has failed.
  private var nextTry: UInt64 = 0

  init(to addresses: [SocketAddress]) { untried = Self.alternating(addresses) }

  /// Returns the first connection, and closes the other sockets. `nil`: there is none by `deadline`, and ``failures`` has every address. Blocks.
  mutating func first(until deadline: UInt64) -> Attempt? {
    defer { connecting = [] }
    while true {
      let now = MonotonicClock.now()
      if !untried.isEmpty, connecting.isEmpty || now >= nextTry {
        nextTry = now &+ Self.delay
        if let connected = begin(untried.removeFirst()) { return connected }
        continue
      }
      if connecting.isEmpty { return nil }
      guard now < deadline else {
        failAll(.timedOut)
        for address in untried { fail(address, Errno(rawValue: ECANCELED)) }
        return nil
      }
      let end = untried.isEmpty ? deadline : min(deadline, nextTry)
      if let connected = wait(nanoseconds: end - now) { return connected }
    }
  }

  /// Starts to connect. Returns the connection if it is there at once.
  private mutating func begin(_ address: SocketAddress) -> Attempt? {
    do throws(Errno) {
      let attempt = Attempt(try Sockets.make(for: address), address)
      if address.isLocal { CongestionControl.local.apply(to: attempt.raw) }
      guard try Sockets.connect(attempt.raw, to: address) else {
        connecting.append(attempt)
        return nil
      }
      try Sockets.tune(attempt.raw, address)
      return attempt
    } catch {
      fail(address, error)
      return nil
    }
  }

  /// Waits until a socket has connected or failed. Returns the first that has connected.
  private mutating func wait(nanoseconds: UInt64) -> Attempt? {
    var entries = connecting.map { pollfd(fd: $0.raw, events: Int16(POLLOUT), revents: 0) }
    guard capture_poll(&entries, UInt(entries.count), Int64(clamping: nanoseconds)) >= 0 else {
      let error = Errno.current
      if error != .interrupted { failAll(error) }
      return nil
    }
    let waited = connecting
    connecting = []
    for (attempt, entry) in zip(waited, entries) {
      guard entry.revents != 0 else {
        connecting.append(attempt)
        continue
      }
      do throws(Errno) {
        if let error = Sockets.pendingError(attempt.raw) { throw error }
        try Sockets.tune(attempt.raw, attempt.address)
        return attempt
      } catch {
        fail(attempt.address, error)
      }
    }
    return nil
  }

  private mutating func fail(_ address: SocketAddress, _ error: Errno) {
    failures.append(Failure(address: address, error: error))
    nextTry = 0
  }

  private mutating func failAll(_ error: Errno) {
    for attempt in connecting { fail(attempt.address, error) }
    connecting = []
  }

  /// The addresses with the two families in turn, beginning with the first one's: often all addresses of one family are out of reach.
  static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let first = addresses.first else { return [] }
    let same = addresses.filter { $0.isV6 == first.isV6 }
    let others = addresses.filter { $0.isV6 != first.isV6 }
    return (0..<max(same.count, others.count)).flatMap { place in
      [same, others].filter { place < $0.count }.map { $0[place] }
    }
  }
}

extension ConnectionAttempts {
  /// A socket that connects. It is closed with this object, unless it was released.
  final class Attempt {
    let address: SocketAddress
    /// Valid as long as this object lives.
    let raw: Int32
    private var isOwned = true

    init(_ socket: consuming OwnedDescriptor, _ address: SocketAddress) {
      self.address = address
      raw = socket.release()
    }

    deinit { if isOwned { close(raw) } }

    /// Gives the descriptor away; the caller closes it.
    func release() -> Int32 {
      isOwned = false
      return raw
    }
  }
}

extension SocketAddress {
  fileprivate var isV6: Bool { if case .internet(_, _, .v6) = self { true } else { false } }
}
