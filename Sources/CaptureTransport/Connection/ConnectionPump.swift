import CaptureSystem
import CaptureWire
import Glibc

/// The protocol state that a pump drives.
protocol PumpedState: InboundState, ~Copyable {
  var hasOutput: Bool { get }
  mutating func write(
    _ batch: inout WriteBatch, _ body: (UnsafeBufferPointer<iovec>) throws(Errno) -> Int
  ) throws(Errno) -> Outbox.Written
  mutating func violate(_ violation: ProtocolViolation)
}

extension ServerConnectionState: PumpedState {
  mutating func violate(_ violation: ProtocolViolation) { goAway(violation) }
}

extension ClientConnectionState: PumpedState {
  mutating func violate(_ violation: ProtocolViolation) { fail(violation) }
}

/// Moves bytes between a stream and a connection's state. The connection owns the pump.
final class ConnectionPump<State: PumpedState & ~Copyable> {
  enum ReadOutcome { case more, drained, ended, failed(Errno) }

  var state: State
  let stream: any ByteStream
  private var inbound: Inbound
  private let memory: LoopMemory
  /// Whether the socket took fewer bytes than it was offered. The pump then waits until the socket is writable.
  private(set) var isBlocked = false
  /// How many bytes came in.
  private(set) var bytesRead: UInt64 = 0
  /// How many bytes came in, without the payload bytes that went straight to their place.
  private(set) var packetBytes: UInt64 = 0
  /// The total length, in bytes, of the long envelopes that have come whole. A long envelope is longer than any usual one.
  var longBytes: UInt64 { inbound.longBytes }
  /// How many bytes of a long envelope are still to come; 0: none has begun.
  var longRemaining: Int { isDiscarding ? 0 : inbound.longRemaining }
  /// When the socket last took bytes and then no more, in nanoseconds. Writes after which it would have taken more do not count.
  private(set) var lastProgress = MonotonicClock.now()
  /// Whether the last read had bytes of a payload, or ended inside of one.
  private var hadPayload = false
  /// Whether input is thrown away, since the connection is about to end.
  var isDiscarding = false
  /// How many bytes of headers and small messages one read takes at most.
  var readLimit = Int.max

  /// Whether a turn may read on that began when ``bytesRead`` was `start`. After 512 KiB the loop's other connections have their turn. So have the
  /// readers of the messages, while these are still in the processor's cache.
  func mayRead(since start: UInt64) -> Bool { bytesRead - start < 512 << 10 }

  init(state: consuming State, limits: PacketLimits, stream: any ByteStream, memory: LoopMemory) {
    self.state = state
    self.stream = stream
    self.memory = memory
    inbound = Inbound(limits: limits)
  }

  /// Reads once: into the payload that is being received and a little beyond it, or else into scratch memory.
  func read() -> ReadOutcome {
    let target = isDiscarding ? nil : inbound.target()
    // After a payload usually comes a header with another payload. Payload bytes that are read into scratch memory have to be copied, so little
    // scratch memory is offered then.
    let expectsPayload = target != nil || (hadPayload && !isDiscarding)
    var room = expectsPayload ? 512 : isDiscarding ? .max : readLimit
    // The end of a long envelope is read alone. What comes behind it can wait in the socket, where it takes none of this process's memory.
    let rest = longRemaining
    if rest > 0 { room = min(room, rest) }
    let scratch = UnsafeMutableRawBufferPointer(rebasing: memory.scratch.prefix(room))
    let count: Int
    do throws(Errno) {
      count = try read(target, scratch)
    } catch {
      return error == .again ? .drained : .failed(error)
    }
    guard count > 0 else { return .ended }
    bytesRead += UInt64(count)
    memory.moved.read += count
    // The time is taken after the read: the peer's silence counts from here.
    let now = MonotonicClock.now()
    state.heard(now: now)
    let isDrained = count < (target?.count ?? 0) + scratch.count
    guard !isDiscarding else { return isDrained ? .drained : .more }
    let direct = min(count, target?.count ?? 0)
    packetBytes += UInt64(count - direct)
    if direct > 0 { inbound.filled(direct, &state) }
    if count > direct {
      do throws(ProtocolViolation) {
        let bytes = UnsafeRawBufferPointer(rebasing: scratch.prefix(count - direct))
        try inbound.consume(bytes, into: &state, now: now)
      } catch {
        isDiscarding = true
        state.violate(error)
      }
    }
    hadPayload = direct > 0 || inbound.target() != nil
    return isDrained ? .drained : .more
  }

  private func read(
    _ target: UnsafeMutableRawBufferPointer?, _ scratch: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    let result = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces -> Result<Int, Errno> in
      var count = 0
      if let target {
        pieces[0] = iovec(iov_base: target.baseAddress, iov_len: target.count)
        count = 1
      }
      pieces[count] = iovec(iov_base: scratch.baseAddress, iov_len: scratch.count)
      do throws(Errno) {
        return .success(try stream.read(into: UnsafeBufferPointer(rebasing: pieces[...count])))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Writes what waits until the stream takes no more. Returns the error that ended the connection; `nil`: none.
  func write() -> Errno? {
    guard !isBlocked else { return nil }
    var hasProgressed = false
    while state.hasOutput {
      do throws(Errno) {
        let written = try state.write(&memory.batch) { pieces throws(Errno) in
          try stream.write(pieces)
        }
        memory.moved.written += written.count
        hasProgressed = hasProgressed || written.count > 0
        if written.isWhole { continue }
      } catch {
        guard error == .again else { return error }
      }
      if hasProgressed { lastProgress = MonotonicClock.now() }
      isBlocked = true
      stream.awaitWritable()
      return nil
    }
    return nil
  }

  func becameWritable() {
    isBlocked = false
    stream.becameWritable()
  }
}
