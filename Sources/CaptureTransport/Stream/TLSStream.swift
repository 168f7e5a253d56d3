import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureTLS
import Glibc

/// A stream that is encrypted, above one that is not.
///
/// It may hold decrypted bytes that no readiness of the socket will announce. As long as it does, it calls `readable` again in the loop's next turn.
///
/// A pool computes a node's signature. Until the session comes back from the pool, nothing is read from the socket, and this stream does not touch
/// the session.
package final class TLSStream: ByteStream {
  private let base: any ByteStream
  private let session: TLSSession
  private let checks: PeerCheck?
  /// The handshake in the pool; `nil`: the loop computes it.
  private let pooled: PooledHandshake?
  /// Whether bytes have come since the handshake last went on. `session.hasInput` does not show this, since it is also true for a part of a record.
  private var isFresh = false
  /// Why the connection cannot go on: the handshake has failed in the pool, or a damaged record follows bytes that the reader gets first.
  private var failure: String?
  private var isOpen = false
  private var isClosed = false
  private var isReading = true
  private var hasEnded = false
  private var isAwaitingWritable = false
  private var isCallScheduled = false
  private var isEnding = false
  private var serial: QueueExecutor?
  private var readable: @Sendable () -> Void = {}
  private var writable: @Sendable () -> Void = {}
  /// How many encrypted bytes came since the last decrypted one.
  private var barren = 0

  package private(set) var overhead = 0

  /// A peer that sends more bytes than this without content is cut off. Empty records and new keys are legal, but cost the receiver more than the
  /// sender.
  private static let mostBarren = NodeLimit.bytesWithoutContent.usual
  /// How many encrypted bytes one read takes from the socket at most.
  private static let mostPerRead = 32_768

  package var isEncrypted: Bool { true }

  package convenience init(_ base: any ByteStream, _ session: TLSSession, checks: PeerCheck? = nil) {
    self.init(base, session, checks: checks, pooled: nil)
  }

  init(_ base: any ByteStream, _ session: TLSSession, checks: PeerCheck? = nil, pooled: PooledHandshake?) {
    self.base = base
    self.session = session
    self.checks = checks
    self.pooled = pooled
  }

  private var isAway: Bool { pooled?.isAway ?? false }
  /// Whether a read would find something that the socket does not announce.
  private var hasUnannounced: Bool { session.hasInput || hasEnded || failure != nil }

  /// Takes bytes that another stream has read from the socket.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    overhead += bytes.count
    isFresh = true
    session.receive(bytes)
  }

  // MARK: Reading

  package func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    guard !hasEnded else { return 0 }
    guard !isAway else { throw .again }
    if let failure { throw fail(failure) }
    var hasReceived = false
    while true {
      if handOver() { throw .again }
      // OpenSSL is not asked when it has nothing: that takes a third of the time that decrypting a small record takes.
      let count = isOpen && !session.hasInput ? 0 : try decrypt(into: pieces)
      if count > 0 {
        barren = 0
        overhead -= count
        // The reader is called again, since the socket does not announce what the session has. A reader that gets less than it asked for waits until
        // the socket is readable.
        if session.hasInput || hasEnded { callAgain() }
        try sendWaiting()
        return count
      }
      if hasEnded { return 0 }
      try sendWaiting()
      // After the handshake this reads the socket once a turn, so that other connections have their turns.
      guard !hasReceived || !isOpen else { throw .again }
      guard try receive(upTo: room(in: pieces)) else {
        hasEnded = true
        return 0
      }
      hasReceived = true
    }
  }

  private func room(in pieces: UnsafeBufferPointer<iovec>) -> Int {
    min(Self.mostPerRead, max(pieces.reduce(512) { $0 + $1.iov_len }, 2_048))
  }

  /// Fills the pieces with what is decrypted.
  private func decrypt(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    var total = 0
    for piece in pieces {
      var filled = 0
      while filled < piece.iov_len {
        let left = UnsafeMutableRawBufferPointer(
          start: piece.iov_base! + filled, count: piece.iov_len - filled)
        switch session.read(into: left) {
        case .bytes(let count): filled += count
        case .needsInput:
          try openIfDone()
          return total + filled
        case .ended:
          hasEnded = true
          return total + filled
        case .failed(let reason):
          guard total + filled > 0 else { throw fail(reason) }
          // The reader gets these bytes first, and the error with its next read.
          failure = reason
          callAgain()
          return total + filled
        }
        try openIfDone()
        guard session.hasInput else { return total + filled }
      }
      total += filled
    }
    return total
  }

  private func openIfDone() throws(Errno) {
    guard !isOpen, session.isOpen else { return }
    if let checks, let problem = checks.check(session) { throw fail(problem) }
    isOpen = true
    barren = 0
    if isAwaitingWritable { callAgain() }
  }

  /// Has the pool go on with the handshake, if the node has not signed yet and bytes have come since it last went on. Returns whether the pool goes
  /// on.
  private func handOver() -> Bool {
    guard let pooled, let serial, isFresh, !session.hasSigned else { return false }
    isFresh = false
    nonisolated(unsafe) weak let stream = self
    pooled.resume(session, on: serial) { stream?.cameBack($0) }
    base.setReading(false)
    return true
  }

  private func cameBack(_ outcome: TLSSession.Outcome) {
    pooled?.takeBack()
    guard !isClosed else { return }
    if case .failed(let reason) = outcome { failure = reason }
    base.setReading(isReading)
    if isEnding { session.endWriting() }
    // The next read finds an error.
    try? sendWaiting()
    if isReading, failure != nil || session.hasInput { readable() }
  }

  /// Tells the peer by an alert why the connection ends.
  private func fail(_ reason: String) -> Errno {
    checks?.failed(reason)
    try? sendWaiting()
    return Errno(rawValue: EPROTO)
  }

  /// Receives bytes from the socket. Returns `false` if the peer sends no more.
  private func receive(upTo room: Int) throws(Errno) -> Bool {
    let result = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) {
      buffer -> Result<Int, Errno> in
      do throws(Errno) {
        var piece = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        let count = try withUnsafePointer(to: &piece) { (piece) throws(Errno) in
          try base.read(into: UnsafeBufferPointer(start: piece, count: 1))
        }
        if count > 0 { receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return .success(count)
      } catch {
        return .failure(error)
      }
    }
    let count = try result.get()
    barren += count
    guard barren <= Self.mostBarren else {
      throw fail("the peer sends nothing but empty records and new keys (bytesWithoutContent)")
    }
    return count > 0
  }

  /// Calls the connection again in the loop's next turn: there is something that the socket does not announce.
  private func callAgain() {
    guard !isCallScheduled, !isClosed, let serial else { return }
    isCallScheduled = true
    nonisolated(unsafe) let stream = self
    serial.async { stream.called() }
  }

  private func called() {
    isCallScheduled = false
    guard !isClosed, !isAway else { return }
    if isReading, hasUnannounced { readable() }
    guard !isClosed, isOpen, isAwaitingWritable, !session.hasOutput else { return }
    isAwaitingWritable = false
    writable()
  }

  // MARK: Writing

  package func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    guard !isAway else { throw .again }
    if !isOpen { try shakeHands() }
    try sendWaiting()
    guard isOpen, !session.hasOutput else { throw .again }
    var total = 0
    var index = 0
    while index < pieces.count {
      if pieces[index].iov_len < Self.small, index + 1 < pieces.count {
        let (bytes, next) = try encryptSmall(pieces, from: index)
        (total, index) = (total + bytes, next)
        // Small pieces go out with what follows them, so that a message's head does not wake the reader by itself.
        if index < pieces.count { continue }
      } else {
        var done = 0
        while done < pieces[index].iov_len {
          let left = UnsafeRawBufferPointer(
            start: pieces[index].iov_base! + done, count: pieces[index].iov_len - done)
          let count = try encrypt(left)
          (done, total) = (done + count, total + count)
          try sendWaiting()
          if session.hasOutput { return total }
        }
        index += 1
      }
      try sendWaiting()
      if session.hasOutput { return total }
    }
    return total
  }

  /// Pieces of fewer bytes than this share a record.
  private static let small = 4_096

  /// Encrypts small pieces that follow one another as one record. Returns how many bytes they have, and the index of the first piece after them.
  private func encryptSmall(
    _ pieces: UnsafeBufferPointer<iovec>, from first: Int
  ) throws(Errno) -> (Int, Int) {
    let result = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) {
      record -> Result<(Int, Int), Errno> in
      var (count, index) = (0, first)
      while index < pieces.count, pieces[index].iov_len < Self.small,
        count + pieces[index].iov_len <= record.count
      {
        record.baseAddress!.advanced(by: count).copyMemory(
          from: UnsafeRawPointer(pieces[index].iov_base!), byteCount: pieces[index].iov_len)
        count += pieces[index].iov_len
        index += 1
      }
      do throws(Errno) {
        _ = try encrypt(UnsafeRawBufferPointer(rebasing: record[..<count]))
        return .success((count, index))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func encrypt(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    guard bytes.count > 0 else { return 0 }
    switch session.write(bytes) {
    case .bytes(let count): return count
    case .needsInput: throw .again
    case .ended: throw Errno(rawValue: EPIPE)
    case .failed(let reason): throw fail(reason)
    }
  }

  private func shakeHands() throws(Errno) {
    if case .failed(let reason) = session.shakeHands() { throw fail(reason) }
    try openIfDone()
  }

  /// Sends encrypted bytes that wait, as many as the socket takes. The others follow when the socket is writable.
  private func sendWaiting() throws(Errno) {
    while session.hasOutput {
      do throws(Errno) {
        try session.send { (bytes) throws(Errno) in
          var piece = iovec(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
          return try withUnsafePointer(to: &piece) { (piece) throws(Errno) in
            try base.write(UnsafeBufferPointer(start: piece, count: 1))
          }
        }
      } catch {
        guard error == .again else { throw error }
        return base.awaitWritable()
      }
    }
    if isEnding { base.shutdownWriting() }
  }

  package func awaitWritable() {
    guard !isClosed else { return }
    isAwaitingWritable = true
    // Nothing can be written until the handshake is done. When it is done, `openIfDone` has `writable` called.
    guard !isAway else { return }
    if session.hasOutput { base.awaitWritable() } else if isOpen { callAgain() }
  }

  package func becameWritable() { isAwaitingWritable = false }

  private func baseWritable() {
    base.becameWritable()
    guard !isClosed, !isAway else { return }
    // The next read finds an error.
    try? sendWaiting()
    guard !session.hasOutput, isAwaitingWritable, isOpen else { return }
    isAwaitingWritable = false
    writable()
  }

  // MARK: Its life

  package func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void
  ) {
    prepare(on: loop, readable: readable, writable: writable)
    nonisolated(unsafe) weak let stream = self
    base.activate(on: loop, readable: readable) { stream?.baseWritable() }
  }

  /// As ``activate(on:readable:writable:)``, for a socket that another stream watches.
  func prepare(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void
  ) {
    serial = loop.serial
    (self.readable, self.writable) = (readable, writable)
  }

  /// Called when the stream that watches the socket finds that it is writable.
  func socketBecameWritable() { baseWritable() }

  package func setReading(_ isReading: Bool) {
    self.isReading = isReading
    guard !isAway else { return }
    base.setReading(isReading)
    // A call that came due while nothing was to be read was dropped.
    if isReading, hasUnannounced { callAgain() }
  }

  package func shutdownWriting() {
    guard !isEnding else { return }
    isEnding = true
    guard !isAway else { return }
    session.endWriting()
    try? sendWaiting()
  }

  package func close() { end { base.close() } }
  package func reset() { end { base.reset() } }

  private func end(_ body: () -> Void) {
    guard !isClosed else { return }
    isClosed = true
    pooled?.cancel()
    body()
  }
}
