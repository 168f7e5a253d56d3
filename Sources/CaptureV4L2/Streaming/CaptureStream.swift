import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc

/// A camera's stream. It delivers frames, and restarts the stream when the driver fails. It lives on the capture thread.
actor CaptureStream {
  nonisolated let thread: DeviceThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.serial.asUnownedSerialExecutor() }

  let path: String
  let type: BufferType
  let system: VideoSystem
  let counters: CounterStore
  let timing: StreamTiming
  let memory: BufferMemory
  /// Called when the camera turns out to be unplugged, after the descriptor is closed.
  private let unplugged: @Sendable () -> Void

  /// The stream that a caller wants, until the caller stops it or it ends.
  struct Wanted {
    var request: StreamRequest
    var format: StreamFormat
    var receiver: any FrameReceiver
  }
  var wanted: Wanted?
  /// The present run of the stream; `nil` while it is interrupted.
  var run: StreamRun?
  var numbering = FrameNumbering()
  /// The discontinuity of the first frame after an interruption.
  var discontinuity: StreamDiscontinuity?
  /// When the driver last delivered something, in `CLOCK_MONOTONIC` nanoseconds.
  var lastFrame: UInt64 = 0
  /// When the driver last delivered a good picture, in `CLOCK_MONOTONIC` nanoseconds.
  var lastPicture: UInt64 = 0
  var hasFrames = false
  var attempts = 0
  /// The timer of the stall watch while the camera streams, and of the next attempt while the stream is interrupted.
  var timer: LoopTimer?
  private var isRetired = false

  init(
    path: String, type: BufferType, system: VideoSystem, counters: CounterStore,
    timing: StreamTiming = .standard, memory: BufferMemory = .standard,
    unplugged: @escaping @Sendable () -> Void
  ) throws(CaptureError) {
    let thread = try DeviceFailure(path: path).wrap("preparing to stream") { () throws(Errno) in
      try DeviceThread(label: "frames \(path.split(separator: "/").last ?? "")")
    }
    self.thread = thread
    self.path = path
    self.type = type
    self.system = system.called(on: thread)
    self.counters = counters
    self.timing = timing
    self.memory = memory
    self.unplugged = unplugged
  }

  func start(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) throws(CaptureError) -> StreamFormat {
    guard !isRetired else { throw gone }
    guard wanted == nil else {
      throw CaptureError(.failedPrecondition, "\(path) streams already", .init(.heldByStream))
    }
    do throws(CaptureError) {
      let run = try StreamRun(path: path, type, request, system: system, memory: memory, on: thread)
      numbering = FrameNumbering()
      discontinuity = nil
      attempts = 0
      wanted = Wanted(request: request, format: run.format, receiver: receiver)
      deliver(run)
      return run.format
    } catch {
      wanted = nil
      let error = isGone(after: error) ? gone : error
      if error.isUnplugged { unplugged() }
      throw error
    }
  }

  /// Whether a failure is due to the camera's unplugging. This waits up to 0.3 s: transfers fail some moments before the node disappears.
  private func isGone(after error: CaptureError) -> Bool {
    guard error.code == .unavailable, !error.isUnplugged else { return error.isUnplugged }
    for _ in 0..<15 {
      do throws(Errno) {
        _ = try VideoDevice(path: path, system: system).capability()
      } catch {
        return [ENODEV, ENXIO, ENOENT].contains(error.rawValue)
      }
      usleep(20_000)
    }
    return false
  }

  func stop() {
    endRun()
    wanted = nil
  }

  /// Ends the stream for good, as when the camera is unplugged: closes everything and tells the receiver.
  func retire() {
    isRetired = true
    end(gone)
  }

  /// Delivers the frames of `run` from now on.
  func deliver(_ run: StreamRun) {
    run.watchFrames { [weak self] in self?.assumeIsolated { $0.framesReady() } }
    self.run = run
    numbering.restart()
    hasFrames = false
    noteProgress()
    counters.update { $0.buffers = run.buffers.count }
    watchForStall()
  }

  /// Notes that the silence of the driver begins anew.
  func noteProgress() {
    lastFrame = MonotonicClock.now()
    lastPicture = lastFrame
  }

  func endRun() {
    timer = nil
    run?.end()
    run = nil
    counters.update { ($0.buffers, $0.buffersLent) = (0, 0) }
  }

  /// Ends the stream because of an error.
  func end(_ error: CaptureError) {
    endRun()
    guard let receiver = wanted?.receiver else { return }
    wanted = nil
    receiver.streamEvent(.ended(error))
    if error.isUnplugged, !isRetired { unplugged() }
  }

  var gone: CaptureError { DeviceFailure(path: path)(.noDevice, "streaming") }
}
