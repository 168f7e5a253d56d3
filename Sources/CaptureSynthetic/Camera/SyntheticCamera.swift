import CaptureImaging
import CaptureModel
import CaptureSystem
import Synchronization

/// A camera made of arithmetic. It shows a scene with the time of day and the frame's number, has controls that act on the
/// picture, and fails on demand.
public final class SyntheticCamera: Camera {
  public let description: CameraDescription
  private let spec: SyntheticSpec
  let state = SyntheticState()
  private let stream = Mutex<SyntheticStream?>(nil)
  private let unplugged: @Sendable (Duration) -> Void

  /// `unplugged` is told when a fault unplugs the camera, and for how long.
  init(_ spec: SyntheticSpec, index: Int, unplugged: @escaping @Sendable (Duration) -> Void) {
    self.spec = spec
    self.unplugged = unplugged
    description = CameraDescription(
      id: CameraID(rawValue: "synthetic-\(index)"), name: "Synthetic Camera \(index)", driver: "synthetic",
      bus: "synthetic-\(index)", serial: "\(index)")
  }

  public var preferredSize: FrameSize? { spec.size }

  public func formats() async throws(CaptureError) -> [FormatDescription] {
    try checkPlugged()
    return spec.formats
  }

  public func intervals(
    for pixelFormat: PixelFormat, at size: FrameSize
  ) async throws(CaptureError) -> IntervalOptions {
    try option(pixelFormat, size).intervals
  }

  public var counters: CameraCounters {
    state.withLock { values in
      var counters = values.counters
      counters.buffers = values.buffers?.count ?? 0
      counters.buffersLent = counters.buffers - (values.buffers?.freeCount ?? 0)
      return counters
    }
  }

  public func startStreaming(
    _ request: StreamRequest, into receiver: any FrameReceiver
  ) async throws(CaptureError) -> StreamFormat {
    let option = try option(request.pixelFormat, request.size)
    let interval = request.interval ?? spec.interval
    if case .range(let minimum, let maximum, _) = option.intervals, interval < minimum || maximum < interval {
      throw CaptureError(
        .invalidArgument, "\(description.id) cannot give \(interval); it gives \(maximum) to \(minimum)")
    }
    let planes: [PlaneLayout] =
      RawLayout(request.pixelFormat).map {
        [PlaneLayout(stride: $0.stride(request.size), bytes: $0.bytes(request.size))]
      } ?? []
    // A JPEG's samples use the full range; raw Y'CbCr has a camera's usual, narrower one.
    let format = StreamFormat(
      pixelFormat: request.pixelFormat, size: request.size, interval: interval, planes: planes,
      isFullRange: request.pixelFormat.isJPEG)
    let new = SyntheticStream(format: format, interval: interval, state: state, receiver: receiver)
    let isFirst = stream.withLock { stream in
      if stream != nil { return false }
      stream = new
      return true
    }
    guard isFirst else { throw CaptureError(.failedPrecondition, "\(description.id) streams already") }
    await new.start()
    return format
  }

  public func stopStreaming() async {
    let running = stream.withLock { $0.take() }
    await running?.stop()
  }

  /// Ends the camera: this object stays unplugged.
  func unplug(for duration: Duration) async {
    state.withLock { $0.isUnplugged = true }
    let running = stream.withLock { $0.take() }
    await running?.stop(telling: gone)
    unplugged(duration)
  }

  private func option(_ pixelFormat: PixelFormat, _ size: FrameSize) throws(CaptureError) -> SizeOption {
    try checkPlugged()
    let formats = spec.formats
    guard let format = formats.first(where: { $0.pixelFormat == pixelFormat }) else {
      let names = formats.map { "\($0.pixelFormat)" }.joined(separator: ", ")
      throw CaptureError(.invalidArgument, "\(description.id) offers no \(pixelFormat); it offers \(names)")
    }
    guard let option = format.sizes.first(where: { $0.contains(size) }) else {
      let sizes = format.sizes.map { "\($0.minimum)" }.joined(separator: ", ")
      throw CaptureError(
        .invalidArgument, "\(description.id) offers no \(size) \(pixelFormat); it offers \(sizes)")
    }
    return option
  }

  var gone: CaptureError { CaptureError(.unavailable, "\(description.id) was unplugged") }

  func checkPlugged() throws(CaptureError) {
    if state.withLock({ $0.isUnplugged }) { throw gone }
  }
}
