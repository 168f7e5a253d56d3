import CaptureControls
import CaptureModel

/// The bounds of the frame duration for all streams of a device (`activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`), and the choice of
/// streams that keep to them.
package final class FrameDurationBounds {
  let context: DeviceContext
  private(set) var bounds: SettingsChange.FrameDuration?
  /// The latest bounds that a stream has kept.
  private var lastKept: SettingsChange.FrameDuration?

  init(_ context: DeviceContext) {
    self.context = context
    (bounds, lastKept) = (context.saved.memory.frameDuration, context.saved.memory.frameDuration)
  }

  /// Sets the bounds.
  func setBounds(_ durations: SettingsChange.FrameDuration?) {
    bounds = durations
    context.saved.update { $0.frameDuration = durations == SettingsChange.FrameDuration() ? nil : durations }
  }

  /// Notes that the running stream keeps to these bounds.
  func noteKept(_ durations: SettingsChange.FrameDuration?) { lastKept = durations }

  /// Sets the bounds back to the latest ones that a stream has kept.
  func revertToKept() { setBounds(lastKept) }

  /// Whether only the bounds keep a stream from being faster.
  func isSlowed(_ format: StreamFormat) -> Bool {
    guard let bounds else { return false }
    return context.camera.knownFormats?.isSlowed(format, by: bounds) ?? false
  }

  /// The running stream as a new request has to fit into it.
  func runningStream(of stream: ActiveStream) -> RunningStream {
    RunningStream(
      context.camera.name, stream.format, context.camera.imaging,
      for: context.stream.reservation.map { .session($0.session, isRunning: true) } ?? stream.hub.holder,
      isSlowed: isSlowed(stream.format))
  }

  // MARK: Plans

  /// Returns the bounds to set; with clamping the nearest that the camera and the running stream have. Throws where the camera, its session or that
  /// stream cannot keep to them.
  func plan(_ asked: SettingsChange.FrameDuration, _ clamping: inout Clamping)
    async throws(CaptureError) -> SettingsChange.FrameDuration
  {
    if let minimum = asked.minimum, let maximum = asked.maximum, maximum < minimum {
      throw CaptureError(
        .invalidArgument,
        "the least frame duration, \(minimum.durationText) s, is longer than the greatest, \(maximum.durationText) s",
        .init(
          .fieldsExclusive, field: CaptureError.field(of: .frameDuration), asked: .number(minimum.seconds))
      )
    }
    let (name, stream) = (context.camera.name, context.stream.active)
    let formats = try await context.camera.formats()
    var wanted = asked
    if let ends = formats.frameIntervals {
      // Clamping also takes account of the running stream, which cannot be slower than its slowest interval, or faster than its fastest.
      let reached = clamping.isAsked ? stream?.frameIntervals(of: formats) ?? ends : ends
      wanted.minimum = try clamping.clamp(asked.minimum, in: ends.lowerBound...reached.upperBound, by: name)
      wanted.maximum = try clamping.clamp(asked.maximum, in: reached.lowerBound...ends.upperBound, by: name)
    }
    try context.stream.reservation?.check(wanted, of: name)
    if let stream {
      _ = try await request(for: stream, within: wanted)
    } else if formats.allSatisfy({ $0.sizes.allSatisfy(\.isDiscrete) }) {
      // With stepwise sizes the bounds are not checked, since only the durations of the largest size are known.
      _ = try boundedFormats(formats, within: wanted, for: VideoRequest())
    }
    return wanted
  }

  /// The formats, with only the intervals that keep to the bounds. Throws `invalidArgument`, which lists the possible durations, if formats can serve
  /// the request but none can within the bounds.
  private func boundedFormats(
    _ formats: [FormatDescription], within durations: SettingsChange.FrameDuration, for request: VideoRequest
  ) throws(CaptureError) -> [FormatDescription] {
    let kept = formats.compactMap { $0.bounded(by: durations) }
    guard formats.contains(where: { $0.matches(request) }),
      !kept.contains(where: { $0.matches(request) })
    else { return kept }
    let place = [request.sourceSize?.description, request.pixelFormat?.description].compactMap { $0 }
    throw CaptureError(
      .invalidArgument,
      "\(Setting.frameDuration) cannot be \(durations.text): frames of \(context.camera.name)"
        + (place.isEmpty ? "" : " at \(place.joined(separator: " "))")
        + " last \(formats.durationsText(request)); take bounds that include one of these",
      .init(
        .valueNotPossible, field: CaptureError.field(of: .frameDuration), asked: .text(durations.text)))
  }

  // MARK: What to stream

  /// Whether the bounds exclude the rate of a stream.
  func exclude(_ stream: StreamRequest) -> Bool {
    guard let bounds, let interval = stream.interval else { return false }
    return !bounds.contains(interval)
  }

  /// The stream for a request, within the present bounds or the given ones. If the camera takes its picture from a source, such as an HDMI signal,
  /// the source decides the rate: the present bounds do not hold if they exclude every rate that the source has for the request. `converts`: the
  /// request names the pixel format of the delivered frames, into which the node may convert the camera's; otherwise it names the format of the
  /// camera's frames.
  func choose(
    _ request: VideoRequest, for purpose: FormatChoice.Purpose, converts: Bool = false,
    within durations: SettingsChange.FrameDuration? = nil
  ) async throws(CaptureError) -> StreamRequest {
    try request.validate()
    let camera = try context.camera.required()
    var offered: [FormatDescription] = []
    for format in try await context.camera.formats() {
      guard let size = request.sourceSize, format.hasStepwise(size) else {
        offered.append(format)
        continue
      }
      let intervals = try await camera.intervals(for: format.pixelFormat, at: size)
      offered.append(format.pinned(to: size, intervals: intervals))
    }
    // This is read after the formats are listed: only then is the input of a camera known that has just appeared.
    let yields = durations == nil && context.camera.hasSource
    let durations = durations ?? bounds
    let imaging = context.camera.imaging
    var choice = FormatChoice(
      camera: context.camera.name, formats: offered, preferredSize: camera.preferredSize,
      isEncodable: imaging.isEncodable, isTurnable: imaging.isTurnable)
    choice.converts = converts
    guard let durations else { return try choice.choose(request, for: purpose) }
    // The stream that is chosen without the bounds is taken if it keeps to them.
    let free = try? choice.choose(request, for: purpose)
    if let free, let interval = free.interval, durations.contains(interval) { return free }
    var source = request
    if converts, request.target != nil { source.pixelFormat = request.sourcePixelFormat }
    if yields, !offered.contains(where: { $0.bounded(by: durations)?.matches(source) == true }) {
      return try choice.choose(request, for: purpose)
    }
    choice.formats = try boundedFormats(offered, within: durations, for: source)
    // A rate that only the bounds exclude is no error: the highest rate within them is chosen.
    choice.acceptsLowerRate = request.rate == nil || free != nil
    var bound = request
    bound.limitRate(to: durations)
    return try choice.choose(bound, for: purpose)
  }

  /// The request for the running stream within the bounds: the same picture, at the rate that was first asked for, limited by the bounds. Throws
  /// `invalidArgument` where the camera cannot keep to them.
  func request(
    for stream: ActiveStream, within durations: SettingsChange.FrameDuration
  ) async throws(CaptureError) -> StreamRequest {
    let format = stream.format
    // A driver that tells no interval takes none.
    guard format.interval != nil || durations == SettingsChange.FrameDuration() else {
      throw CaptureError(
        .invalidArgument,
        "\(Setting.frameDuration) cannot be \(durations.text): the driver of \(context.camera.name) has no settable rate",
        .init(
          .valueNotPossible, field: CaptureError.field(of: .frameDuration), asked: .text(durations.text)))
    }
    let request = VideoRequest(
      encoding: format.pixelFormat.isJPEG ? .jpeg : .raw, pixelFormat: format.pixelFormat, size: format.size,
      rate: await askedRate(of: stream))
    return try await choose(request, for: .video, within: durations)
  }

  /// The rate, in frames a second, that the stream's first subscriber or its session asked for.
  private func askedRate(of stream: ActiveStream) async -> Double? {
    // A larger stream has no asked rate: the rate was asked of the smaller format that its subscribers have.
    if stream.viewed != nil { return nil }
    guard let reservation = context.stream.reservation else { return stream.askedRate }
    guard let asked = reservation.asked else { return nil }
    return try? await presetChoice().wanted(asked.preset, asked.format).request.rate
  }
}

extension Clamping {
  /// Returns a bound of the frame duration, or the nearest possible one, which it notes.
  fileprivate mutating func clamp(
    _ asked: FrameInterval?, in ends: ClosedRange<FrameInterval>, by camera: String
  ) throws(CaptureError) -> FrameInterval? {
    guard let asked else { return nil }
    let range = SettingsDescription.ValueRange(ends)
    _ = try clamp(asked.seconds, in: range, .frameDuration, by: camera)
    if range.contains(asked.seconds) { return asked }
    return asked < ends.lowerBound ? ends.lowerBound : ends.upperBound
  }
}

extension SettingsChange.FrameDuration {
  /// "from 1/30 to 1/15 s"
  fileprivate var text: String {
    let ends = [minimum.map { "from \($0.durationText)" }, maximum.map { "to \($0.durationText)" }]
    return ends.compactMap { $0 }.joined(separator: " ") + " s"
  }
}
