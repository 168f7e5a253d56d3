import CCaptureShims
import CaptureLoop
import CaptureSystem
import Glibc

/// A connected, non-blocking socket that a loop watches.
package final class SocketStream: ByteStream {
  private let descriptor: Int32
  /// The account to which the loop's work for the socket is charged; `nil`: none.
  private let account: LoopAccount?
  private var watch: Watch?
  private var readable: () -> Void = {}
  private var writable: () -> Void = {}
  private var isReading = true
  private var isAwaitingWritable = false
  private var unsent: UnsentWindow
  private var isClosed = false

  /// The socket's place in the loop's table, and what it waits for.
  private struct Watch {
    let poll: LoopPoll
    let serial: QueueExecutor
    let place: LoopPoll.Place
    var wanted = Readiness.readable
  }

  /// `account`: the loop's work for the socket is charged to it.
  package init(
    _ descriptor: consuming OwnedDescriptor, to peer: SocketAddress, account: LoopAccount? = nil
  ) {
    unsent = UnsentWindow(to: peer)
    self.descriptor = descriptor.release()
    self.account = account
  }

  deinit {
    guard !isClosed else { return }
    shutdown(descriptor, Int32(SHUT_RDWR))
    guard let watch else {
      _ = Glibc.close(descriptor)
      return
    }
    // The last reference may go away on any thread. The loop lets go of the descriptor before its number is used again.
    watch.serial.async { [descriptor] in
      watch.poll.remove(watch.place)
      _ = Glibc.close(descriptor)
    }
  }

  package func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    try retryingInterrupts { readv(descriptor, pieces.baseAddress, Int32(pieces.count)) }
  }

  package func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    var message = msghdr()
    message.msg_iov = UnsafeMutablePointer(mutating: pieces.baseAddress)
    message.msg_iovlen = pieces.count
    // With `MSG_NOSIGNAL`, a peer that has gone causes an error and no signal.
    return try retryingInterrupts { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
  }

  package func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void
  ) {
    (self.readable, self.writable) = (readable, writable)
    do throws(Errno) {
      let place = try loop.poll.add(descriptor, self, account: account)
      watch = Watch(poll: loop.poll, serial: loop.serial, place: place)
    } catch {
      // Nothing would report events of the socket, so it ends like one whose peer has gone.
      shutdown(descriptor, Int32(SHUT_RDWR))
      loop.serial.async(readable)
    }
  }

  private func want(_ wanted: Readiness) {
    guard let watch, watch.wanted != wanted else { return }
    self.watch?.wanted = wanted
    watch.poll.change(watch.place, to: wanted)
  }

  private var wanted: Readiness {
    (isReading ? .readable : Readiness()).union(isAwaitingWritable ? .writable : [])
  }

  package func awaitWritable() {
    guard !isClosed else { return }
    isAwaitingWritable = true
    unsent.blocked(now: MonotonicClock.now())
    want(wanted)
  }

  /// The loop goes on watching whether the socket is writable: most of the time the next write is cut short too.
  package func becameWritable() {
    isAwaitingWritable = false
    let now = MonotonicClock.now()
    guard unsent.drained(now: now, rate: { capture_delivery_rate(descriptor) }) else { return }
    // Unix sockets do not have this option.
    try? Sockets.setUnsentWindow(descriptor, unsent.bytes)
  }

  package func setReading(_ isReading: Bool) {
    guard self.isReading != isReading, !isClosed else { return }
    self.isReading = isReading
    want(wanted)
  }

  package func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    if let watch { watch.poll.remove(watch.place) }
    watch = nil
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = Glibc.close(descriptor)
    // `readable` and `writable` stay set, since one of them may be running now. What they hold goes away with this object.
  }

  package func reset() {
    guard !isClosed else { return }
    // A reset takes from the peer what it has not read yet. So the socket is reset only if some bytes have not arrived.
    if Sockets.unacknowledged(descriptor) > 0 {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
    close()
  }
}

extension SocketStream: LoopSource {
  package func ready(_ readiness: Readiness) {
    if readiness.contains(.readable), isReading { readable() }
    guard readiness.contains(.writable), !isClosed else { return }
    if isAwaitingWritable { writable() } else { want(wanted) }
  }
}
