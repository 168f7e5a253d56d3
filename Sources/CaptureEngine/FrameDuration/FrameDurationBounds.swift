import CaptureControls
import CaptureModel

/// Bounds of frames' duration, of all streams of a device, and what is streamed within them. `activeVideoMinFrameDuration`,
/// `activeVideoMaxFrameDuration`.
final class FrameDurationBounds {
  let context: DeviceContext
  private(set) var bounds: SettingsChange.FrameDuration?
  /// The latest that no stream failed to start with.
  private var former: SettingsChange.FrameDuration?

  init(_ context: DeviceContext) {
    self.context = context
    (bounds, former) = (context.kept.memory.frameDuration, context.kept.memory.frameDuration)
  }

  /// Remembers bounds.
  func bound(_ durations: SettingsChange.FrameDuration?) {
    bounds = durations
    context.kept.update { $0.frameDuration = durations == SettingsChange.FrameDuration() ? nil : durations }
  }

  /// The stream that runs keeps to those.
  func streamKeeps(to durations: SettingsChange.FrameDuration?) { former = durations }

  /// As they were before those that no stream could keep to.
  func revert() { bound(former) }

  /// Nothing but the bounds keeps a stream from being faster.
  func isSlowed(_ format: StreamFormat) -> Bool {
    guard let bounds else { return false }
    return context.camera.knownFormats?.isSlowed(format, by: bounds) ?? false
  }

  /// A stream as a request has to fit into it.
  func running(_ stream: ActiveStream) -> RunningStream {
    RunningStream(
      context.camera.name, stream.format, context.camera.imaging,
      for: context.stream.hold.map { .session($0.session, isRunning: true) } ?? stream.hub.holder,
      isSlowed: isSlowed(stream.format))
  }

  // MARK: Plans

  /// The bounds to take; with clamping the nearest that the camera and the stream that runs have. Throws where the camera, its session or that
  /// stream cannot keep to them.
  func plan(_ asked: SettingsChange.FrameDuration, _ clamping: inout Clamping)
    async throws(CaptureError) -> SettingsChange.FrameDuration
  {
    if let minimum = asked.minimum, let maximum = asked.maximum, maximum < minimum {
      throw CaptureError(
        .invalidArgument,
        "the least frame duration, \(minimum.durationText) s, is longer than the greatest, \(maximum.durationText) s"
      )
    }
    let (name, stream) = (context.camera.name, context.stream.active)
    let formats = try await context.camera.formats()
    var wanted = asked
    if let ends = formats.frameIntervals {
      // Slower than its slowest, or faster than its fastest, the stream that runs cannot be.
      let reached = clamping.isAsked ? stream?.frameIntervals(of: formats) ?? ends : ends
      wanted.minimum = try clamping.take(asked.minimum, in: ends.lowerBound...reached.upperBound, by: name)
      wanted.maximum = try clamping.take(asked.maximum, in: reached.lowerBound...ends.upperBound, by: name)
    }
    try context.stream.hold?.check(wanted, of: name)
    if let stream {
      _ = try await request(for: stream, within: wanted)
    } else if formats.allSatisfy({ $0.sizes.allSatisfy(\.isDiscrete) }) {
      // Of sizes in steps only the largest one's durations are known.
      _ = try formatsKept(formats, within: wanted, for: VideoRequest())
    }
    return wanted
  }

  /// Of formats what keeps to bounds. Throws `invalidArgument`, naming the durations that there are, where nothing does that a request means.
  private func formatsKept(
    _ formats: [FormatDescription], within durations: SettingsChange.FrameDuration, for request: VideoRequest
  ) throws(CaptureError) -> [FormatDescription] {
    let kept = formats.compactMap { $0.bounded(by: durations) }
    guard formats.contains(where: { $0.isMeant(by: request) }),
      !kept.contains(where: { $0.isMeant(by: request) })
    else { return kept }
    let place = [request.sourceSize?.description, request.pixelFormat?.description].compactMap { $0 }
    throw CaptureError(
      .invalidArgument,
      "\(Setting.frameDuration) cannot be \(durations.text): frames of \(context.camera.name)"
        + (place.isEmpty ? "" : " at \(place.joined(separator: " "))")
        + " last \(formats.durationsText(request)); take bounds with one of those within")
  }

  // MARK: What to stream

  /// What to stream for a request, within the bounds that there are or those that are given.
  func choose(
    _ request: VideoRequest, for purpose: FormatChoice.Purpose,
    within durations: SettingsChange.FrameDuration? = nil
  ) async throws(CaptureError) -> StreamRequest {
    try request.validate()
    let camera = try context.camera.required()
    let durations = durations ?? bounds
    var offered: [FormatDescription] = []
    for format in try await context.camera.formats() {
      guard let size = request.sourceSize, format.hasStepwise(size) else {
        offered.append(format)
        continue
      }
      let intervals = try await camera.intervals(for: format.pixelFormat, at: size)
      offered.append(format.pinned(to: size, intervals: intervals))
    }
    let imaging = context.camera.imaging
    var choice = FormatChoice(
      camera: context.camera.name, formats: offered, preferredSize: camera.preferredSize,
      isEncodable: imaging.isEncodable, isTurnable: imaging.isTurnable)
    guard let durations else { return try choice.choose(request, for: purpose) }
    // A format that is within the bounds by itself need not reach them.
    let free = try? choice.choose(request, for: purpose)
    if let free, let interval = free.interval, durations.contains(interval) { return free }
    choice.formats = try formatsKept(offered, within: durations, for: request)
    // Where there would be more without the bounds, the most within them it is.
    choice.takesLess = request.rate == nil || free != nil
    var bound = request
    bound.keep(to: durations)
    return try choice.choose(bound, for: purpose)
  }

  /// What the camera would stream for a preset, or for the format that is named instead.
  func resolve(_ preset: SessionPreset, _ format: ActiveFormat?)
    async throws(CaptureError) -> StreamRequest
  {
    let presets = try await presets()
    let wanted = try presets.wanted(preset, format)
    let request = try await choose(wanted.request, for: wanted.purpose)
    if let format { try presets.check(request, against: format) }
    return request
  }

  private func presets() async throws(CaptureError) -> PresetChoice {
    PresetChoice(
      camera: context.camera.name, formats: try await context.camera.formats(),
      isEncodable: context.camera.imaging.isEncodable)
  }

  /// What the stream that runs has to be within the bounds: the same picture at the rate that was asked for first, taken into them.
  func request(
    for stream: ActiveStream, within durations: SettingsChange.FrameDuration
  ) async throws(CaptureError) -> StreamRequest {
    let format = stream.format
    let request = VideoRequest(
      encoding: format.pixelFormat.isJPEG ? .jpeg : .raw, pixelFormat: format.pixelFormat, size: format.size,
      rate: await askedRate(of: stream))
    return try await choose(request, for: .video, within: durations)
  }

  /// Frames a second that its first subscriber asked for, or its session.
  private func askedRate(of stream: ActiveStream) async -> Double? {
    guard let hold = context.stream.hold else { return stream.askedRate }
    guard let asked = hold.asked else { return nil }
    return try? await presets().wanted(asked.preset, asked.format).request.rate
  }
}

extension PresetChoice {
  /// What a preset asks for, or the format that is named instead.
  fileprivate func wanted(_ preset: SessionPreset, _ format: ActiveFormat?) throws(CaptureError) -> Wanted {
    if let format { try wanted(format) } else { try wanted(preset) }
  }
}

extension Clamping {
  /// A bound of frames' duration, or the nearest that there is.
  fileprivate mutating func take(
    _ asked: FrameInterval?, in ends: ClosedRange<FrameInterval>, by camera: String
  ) throws(CaptureError) -> FrameInterval? {
    guard let asked else { return nil }
    let range = SettingsDescription.ValueRange(ends)
    _ = try take(asked.seconds, in: range, .frameDuration, by: camera)
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
