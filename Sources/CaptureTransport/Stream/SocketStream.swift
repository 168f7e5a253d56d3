import CaptureSystem
import Dispatch
import Glibc

/// A connected, non-blocking socket with its Dispatch sources.
package final class SocketStream: ByteStream {
  private let descriptor: Int32
  private var reader: (any DispatchSourceRead)?
  private var writer: (any DispatchSourceWrite)?
  private var isReading = true
  private var isAwaitingWritable = false
  private var isWriterActive = false
  /// In ``TransportLoop/serve(_:first:wants:_:)``, which waits for writability itself.
  private var isServed = false
  private var isClosed = false

  package init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor.release() }

  deinit { close() }

  package func read(into pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    try retryingInterrupts { readv(descriptor, pieces.baseAddress, Int32(pieces.count)) }
  }

  /// Dispatch on Linux lets go of a socket with `EPOLLHUP`, even when it told of the last bytes in the same call. It then
  /// says that there are 0 bytes, as it does at the end of the stream.
  package var isHungUp: Bool { reader?.data == 0 }

  package func write(_ pieces: UnsafeBufferPointer<iovec>) throws(Errno) -> Int {
    var message = msghdr()
    message.msg_iov = UnsafeMutablePointer(mutating: pieces.baseAddress)
    message.msg_iovlen = pieces.count
    // A peer that is gone is an error here, not a signal.
    return try retryingInterrupts { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
  }

  package func activate(
    on loop: TransportLoop, readable: @escaping @Sendable () -> Void,
    writable: @escaping @Sendable () -> Void
  ) {
    let queue = loop.queue
    loop.watch(descriptor)
    let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    // Confined to the queue, as its handlers are.
    nonisolated(unsafe) weak let stream = self
    reader.setEventHandler {
      stream?.serve(on: loop, first: .readable, readable, writable)
    }
    let writer = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    writer.setEventHandler { stream?.serve(on: loop, first: .writable, readable, writable) }
    // The descriptor may be closed, and its number used again, only when both sources have let go of it.
    let closing = DispatchGroup()
    closing.enter()
    closing.enter()
    reader.setCancelHandler { closing.leave() }
    writer.setCancelHandler { closing.leave() }
    closing.notify(queue: queue) { [descriptor] in _ = Glibc.close(descriptor) }
    self.reader = reader
    self.writer = writer
    reader.activate()
  }

  private func serve(
    on loop: TransportLoop, first: SocketReadiness, _ readable: () -> Void, _ writable: () -> Void
  ) {
    isServed = true
    loop.serve(descriptor, first: first) {
      guard !isClosed else { return [] }
      var wanted: SocketReadiness = isReading ? .readable : []
      if isAwaitingWritable { wanted.insert(.writable) }
      return wanted
    } _: { ready in
      if ready.contains(.readable) { readable() }
      if ready.contains(.writable) { writable() }
    }
    isServed = false
    watchWritability(isAwaitingWritable)
  }

  private func watchWritability(_ isActive: Bool) {
    guard isWriterActive != isActive, let writer else { return }
    isWriterActive = isActive
    if isActive { writer.resume() } else { writer.suspend() }
  }

  package func awaitWritable() {
    guard !isClosed else { return }
    isAwaitingWritable = true
    if !isServed { watchWritability(true) }
  }

  package func becameWritable() {
    isAwaitingWritable = false
    watchWritability(false)
  }

  package func setReading(_ isReading: Bool) {
    guard self.isReading != isReading, !isClosed, let reader else { return }
    self.isReading = isReading
    if isReading { reader.resume() } else { reader.suspend() }
  }

  package func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    guard let reader, let writer else {
      _ = Glibc.close(descriptor)
      return
    }
    shutdown(descriptor, Int32(SHUT_RDWR))
    // A suspended source would never run its cancel handler.
    reader.cancel()
    if !isReading { reader.resume() }
    writer.cancel()
    if !isWriterActive { writer.resume() }
    self.reader = nil
    self.writer = nil
  }
}
