import CaptureLoop
import CaptureSystem
import Glibc
import Synchronization

/// A listening socket. It calls `accepted` on its queue with every connection, the peer's address, and itself.
actor Listener {
  /// The address on which it listens, with the real port.
  nonisolated let address: SocketAddress
  nonisolated let policy: ListenerPolicy
  /// Tells it from listeners that have had its address before it.
  nonisolated let number = Listener.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  nonisolated let loop: TransportLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.serial.asUnownedSerialExecutor() }

  private let descriptor: Int32
  /// The file of a Unix socket, which is removed with the listener.
  private let file: UnixPath.File?
  /// The congestion control of the listening socket. It suits clients on this machine; accepted connections inherit it.
  private let local: CongestionControl
  /// The system's congestion control, which connections from other machines get; `nil`: the socket has none.
  private let remote: CongestionControl?
  private var source: ListenerSource?
  /// The listener has an account of its own, so that many new clients do not delay those that are connected.
  private let account = LoopAccount()
  private var place: LoopPoll.Place?
  /// A connection that was accepted with a descriptor of the reserve. It is served once a descriptor outside of the reserve is free.
  private var held: (descriptor: Int32, peer: SocketAddress)?
  private var isPaused = false
  /// Whether a pause was reported, and nobody was accepted since.
  private var isPauseReported = false
  private var isStopped = false
  private var timer: LoopTimer?
  private let accepted: @Sendable (consuming OwnedDescriptor, SocketAddress, Listener) -> Void
  private let report: @Sendable (ServerNotice) -> Void

  /// The number of the latest listener.
  private static let numbers = Atomic<UInt64>(0)
  /// How many nanoseconds the listener pauses after the process has run out of descriptors.
  private static let backoff: UInt64 = 100_000_000
  /// How many connections the listener accepts in a turn of the loop, before the loop's other connections have their turn. Accepting one costs some
  /// tenths of a millisecond, together with closing the stranger that it may push out.
  private static let portion = 4

  init(
    _ address: SocketAddress, policy: ListenerPolicy = ListenerPolicy(), unixMode: UInt32,
    on loop: TransportLoop, local: CongestionControl = .local,
    accepted: @escaping @Sendable (consuming OwnedDescriptor, SocketAddress, Listener) -> Void,
    report: @escaping @Sendable (ServerNotice) -> Void = { _ in }
  ) throws(ListenError) {
    self.loop = loop
    self.policy = policy
    self.local = local
    self.accepted = accepted
    self.report = report
    do throws(Errno) {
      let socket = try Self.listeningSocket(address, unixMode)
      self.address = try Sockets.localAddress(socket.raw) ?? address
      file = if case .unix(let path) = address { UnixPath.File(at: path) } else { nil }
      remote = CongestionControl(of: socket.raw)
      local.apply(to: socket.raw)
      descriptor = socket.release()
    } catch {
      throw ListenError(address: address, cause: error)
    }
  }

  private static func listeningSocket(
    _ address: SocketAddress, _ unixMode: UInt32
  ) throws(Errno) -> OwnedDescriptor {
    if case .unix(let path) = address { try UnixPath.removeStale(path, address) }
    let socket = try Sockets.make(for: address)
    if case .unix = address {
      try UnixPath.bind(socket.raw, address, mode: unixMode)
    } else {
      try Sockets.set(socket.raw, SOL_SOCKET, SO_REUSEADDR, 1)
      if case .internet(_, _, .v6) = address {
        try Sockets.set(socket.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
      }
      _ = try address.withNative { (pointer, size) throws(Errno) in
        if bind(socket.raw, pointer, size) != 0 { throw Errno.current }
      }
    }
    _ = try retryingInterrupts { Glibc.listen(socket.raw, 512) }
    return socket
  }

  func start() {
    guard !isStopped else { return }
    timer = LoopTimer(loop.events) { [weak self] in self?.assumeIsolated { $0.unpause() } }
    watch()
  }

  /// Watches the socket; where the kernel has no room for that, it tries again later.
  private func watch() {
    let source = ListenerSource { [weak self] in self?.assumeIsolated { $0.acceptAll() } }
    self.source = source
    do throws(Errno) {
      place = try loop.poll.add(descriptor, source, account: account)
    } catch {
      timer?.arm(MonotonicClock.now() + Self.backoff)
    }
  }

  /// Serves the held connection, if there is one. Returns `false` if only descriptors of the reserve are free.
  private func acceptHeld() -> Bool {
    guard let held else { return true }
    let raw = fcntl(held.descriptor, F_DUPFD_CLOEXEC, 0)
    guard raw >= 0 else { return false }
    let moved = OwnedDescriptor(owning: raw)
    if DescriptorReserve.connections.has(raw) { return false }
    close(held.descriptor)
    self.held = nil
    serve(moved, held.peer)
    return true
  }

  private func serve(_ socket: consuming OwnedDescriptor, _ peer: SocketAddress) {
    isPauseReported = false
    // If the socket did not inherit `local`, its route prescribes another one, which stays.
    if !peer.isLocal, CongestionControl(of: socket.raw) == local { remote?.apply(to: socket.raw) }
    accepted(socket, peer, self)
  }

  private func acceptAll() {
    guard acceptHeld() else { return pause(Errno(rawValue: EMFILE)) }
    // If more connections wait, the socket stays ready.
    for _ in 0..<Self.portion {
      do throws(Errno) {
        let (raw, peer) = try Sockets.accept(descriptor)
        if DescriptorReserve.connections.has(raw) {
          held = (raw, peer)
          return pause(Errno(rawValue: EMFILE))
        }
        serve(OwnedDescriptor(owning: raw), peer)
      } catch {
        switch error.rawValue {
        case EAGAIN: return
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(error)
        default: continue  // The peer of that connection has gone.
        }
      }
    }
  }

  /// Pauses while descriptors or memory are short: the connection stays in the backlog, and the loop would report it without end.
  private func pause(_ cause: Errno) {
    guard !isPaused, let place else { return }
    isPaused = true
    loop.poll.change(place, to: [])
    timer?.arm(MonotonicClock.now() + Self.backoff)
    guard !isPauseReported else { return }
    isPauseReported = true
    let shortage =
      cause.rawValue == EMFILE
      ? "this process has nearly all of the \(DescriptorLimit.current) descriptors that it may have"
      : "\(cause)"
    report(
      ServerNotice(kind: .paused, text: "new clients of \(address) wait until others have gone: \(shortage)"))
  }

  private func unpause() {
    guard let place else { return watch() }
    guard isPaused else { return }
    isPaused = false
    loop.poll.change(place, to: .readable)
    acceptAll()
  }

  /// Accepts no more connections once it returns. The path of a Unix socket is removed, unless another process has it by now.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    if case .unix(let path) = address { file?.remove(path) }
    if let place = place.take() { loop.poll.remove(place) }
    (source, timer) = (nil, nil)
    if let held { close(held.descriptor) }
    held = nil
    close(descriptor)
  }
}

/// Receives the loop's events for a listening socket.
private final class ListenerSource: LoopSource {
  private let accept: () -> Void

  init(_ accept: @escaping () -> Void) { self.accept = accept }

  func ready(_ readiness: Readiness) { accept() }
}

/// The node cannot listen on an address.
public struct ListenError: Error, Sendable, CustomStringConvertible {
  public let address: SocketAddress
  public let cause: Errno

  public var description: String { "cannot listen on \(address): \(reason)" }

  private var reason: String {
    switch (cause.rawValue, address) {
    case (EADDRINUSE, _): "another program listens there already"
    case (EEXIST, _): "the path exists and is not a socket"
    case (ENOENT, .unix(let path)):
      "there is no folder '\(SmallFile.folder(of: path))'; make it, or name another path"
    case (EADDRNOTAVAIL, _): "it is no address of this machine"
    case (EACCES, _): "no permission"
    default: "\(cause)"
    }
  }
}
