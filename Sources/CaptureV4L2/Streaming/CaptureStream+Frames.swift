import CaptureModel
import CaptureSystem

extension CaptureStream {
  /// Takes the filled buffers from the driver, at most as many as the stream has. This is called again while more are ready.
  func framesReady() {
    guard let run else { return }
    do throws(Errno) {
      for round in 0..<run.buffers.count {
        guard let buffer = try run.dequeue() else {
          if round == 0 { try run.check() }
          return
        }
        try take(buffer, from: run)
      }
    } catch {
      failed(error, "taking a frame")
    }
  }

  private func take(_ buffer: DequeuedBuffer, from run: StreamRun) throws(Errno) {
    guard let wanted, run.buffers.indices.contains(buffer.index) else { throw .inputOutput }
    let arrival = MonotonicClock.now()
    lastFrame = arrival
    let mapped = run.buffers[buffer.index]
    guard let (sequence, lost) = numbering.take(buffer.sequence, timestamp: buffer.timestamp) else {
      return try run.queue(mapped)
    }
    let segments = mapped.segments(buffer.contents)
    // A buffer with the error flag has no good picture, and an empty one has none: some drivers end a stream, or report a lost frame, with an empty
    // buffer.
    guard !buffer.isFlagged, segments.contains(where: { !$0.isEmpty }) else {
      counters.update {
        $0.lost += lost
        $0.flagged += 1
      }
      return try run.queue(mapped)
    }
    lastPicture = arrival
    attempts = 0
    if !hasFrames {
      hasFrames = true
      watchForStall()  // The watch now allows less time than for the first frame.
    }
    run.lent += 1
    let payload = Payload(lending: segments) { [self] in
      // The buffer is not given back on the reader's queue: the driver's lock may be held for long, and others may wait for that queue.
      thread.serial.async { self.assumeIsolated { $0.takeBack(mapped) } }
    }
    let frame = Frame(
      payload: payload, format: wanted.format, sequence: sequence,
      timestamp: FrameTimestamp(buffer, arrival: arrival), discontinuity: discontinuity)
    discontinuity = nil
    counters.update {
      $0.lost += lost
      $0.frames += 1
      $0.buffersLent = run.lent
    }
    // The event comes before the frame: it makes readers give back older frames.
    if run.isLow { wanted.receiver.streamEvent(.buffersLow) }
    wanted.receiver.received(frame)
  }

  /// Gives a buffer that a reader has released back to the driver, unless its run of the stream is over.
  private func takeBack(_ buffer: MappedBuffer) {
    guard let run, run.buffers.indices.contains(buffer.index),
      run.buffers[buffer.index] === buffer
    else { return }
    run.lent -= 1
    counters.update { $0.buffersLent = run.lent }
    // A driver with fewer than two buffers may have waited for this one, so that its silence was no stall.
    if run.queued <= 2 { noteProgress() }
    do throws(Errno) {
      try run.queue(buffer)
    } catch {
      failed(error, "giving a buffer back")
    }
  }
}
