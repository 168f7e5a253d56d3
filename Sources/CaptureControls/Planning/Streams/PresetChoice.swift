import CaptureModel

/// Finds the stream for a preset, or for an active format, among those that a camera offers. docs/presets.md explains these rules for people.
package struct PresetChoice: Sendable {
  private let camera: String
  private let formats: [FormatDescription]
  private let isEncodable: @Sendable (PixelFormat) -> Bool

  /// The request to the camera, in the form that ``FormatChoice`` takes.
  package struct Wanted: Hashable, Sendable {
    package var request: VideoRequest
    package var purpose: FormatChoice.Purpose
  }

  /// `formats` are those that the camera lists; `camera` names it in messages.
  package init(
    camera: String, formats: [FormatDescription], isEncodable: @escaping @Sendable (PixelFormat) -> Bool
  ) {
    self.camera = camera
    self.formats = formats
    self.isEncodable = isEncodable
  }

  /// The frames a second from which on motion looks smooth.
  static let smoothRate = 25.0
  /// The frames a second that are chosen where the camera has them.
  static let usualRate = 30.0
  /// The frames a second that are enough for `low`.
  static let lowRate = 15.0
  /// `medium` chooses a size of at most as many pixels as this one, if the camera has any.
  static let mediumSize = FrameSize(width: 640, height: 480)
  /// `low` chooses a size of at most as many pixels as this one, if the camera has any.
  static let lowSize = FrameSize(width: 320, height: 240)

  /// Throws `invalidArgument`, which lists the sizes or rates that the camera has.
  package func wanted(_ preset: SessionPreset) throws(CaptureError) -> Wanted {
    switch preset {
    case .photo: return Wanted(request: VideoRequest(encoding: encoding), purpose: .photo)
    case .inputPriority: return Wanted(request: VideoRequest(encoding: encoding), purpose: .video)
    case .high: return request(high)
    case .medium: return request(largest(within: Self.mediumSize, reaching: Self.smoothRate))
    case .low:
      return request(largest(within: Self.lowSize, reaching: Self.lowRate), rates: [Self.lowRate])
    case .iFrame960x540, .iFrame1280x720: return try intraCoded(preset)
    case .cif352x288, .vga640x480, .hd1280x720, .hd1920x1080: return request(try exact(preset))
    }
  }

  /// Throws `invalidArgument` for a format that no camera could have.
  package func wanted(_ format: ActiveFormat) throws(CaptureError) -> Wanted {
    let request = VideoRequest(
      encoding: format.pixelFormat == nil ? encoding : .raw, pixelFormat: format.pixelFormat,
      size: format.size, rate: format.interval?.rate)
    try request.validate()
    return Wanted(request: request, purpose: .video)
  }

  /// Checks that a camera's `answer` has the frame duration that the format asks for. Throws `invalidArgument`, which lists the rates that the camera
  /// has.
  package func check(_ answer: StreamRequest, against format: ActiveFormat) throws(CaptureError) {
    guard let asked = format.interval, let interval = answer.interval, interval.exceeds(rate: asked.rate)
    else { return }
    let options = formats.filter { $0.pixelFormat == answer.pixelFormat }.flatMap(\.sizes)
      .filter { $0.contains(answer.size) }.map(\.intervals)
    var possible = [interval]
    if case .discrete(let intervals)? = options.first { possible = intervals }
    throw CaptureError(
      .invalidArgument,
      "\(camera) does not give \(answer.size) \(answer.pixelFormat) at \(asked); it gives: "
        + possible.map(\.description).joined(separator: ", "),
      .init(
        .valueNotPossible, field: "format.duration", asked: .text(asked.durationText),
        possible: possible.map(\.durationText)))
  }

  // MARK: Sizes

  /// A size, and the highest rate at which it comes, in frames a second; `nil` where the driver reports none.
  private struct Offer {
    var size: FrameSize
    var rate: Double?
    func reaches(_ rate: Double) -> Bool { self.rate.map { $0 >= rate * 0.995 } ?? true }
  }

  /// The encoding that is asked for: JPEG where the node can make it, so that every client gets what it asks for; otherwise raw.
  private var encoding: VideoRequest.Encoding { admissible(.jpeg).isEmpty ? .raw : .jpeg }

  private func admissible(_ encoding: VideoRequest.Encoding) -> [FormatDescription] {
    let choice = FormatChoice(camera: camera, formats: formats, isEncodable: isEncodable)
    let ranked = try? choice.admissibleFormats(VideoRequest(encoding: encoding))
    return (ranked ?? []).sorted { $0.rank < $1.rank }.map(\.format)
  }

  private var offers: [Offer] { offers(\.choosableSizes) }

  /// The offers for those sizes of each option that `sizes` returns.
  private func offers(_ sizes: (SizeOption) -> [FrameSize]) -> [Offer] {
    var found: [Offer] = []
    for option in admissible(encoding).flatMap(\.sizes) {
      for size in sizes(option) {
        let rate = option.intervals.fastest?.rate
        if let index = found.firstIndex(where: { $0.size == size }) {
          found[index].rate = found[index].rate.flatMap { known in rate.map { max(known, $0) } }
        } else {
          found.append(Offer(size: size, rate: rate))
        }
      }
    }
    return found
  }

  /// The largest size with smooth motion. If the camera has none, the largest of its fastest sizes.
  private var high: Offer? {
    let offers = offers(\.openSizes)
    let smooth = offers.filter { $0.reaches(Self.smoothRate) }
    if let best = smooth.max(by: { $0.size.area < $1.size.area }) { return best }
    return offers.max { ($0.rate ?? 0, $0.size.area) < ($1.rate ?? 0, $1.size.area) }
  }

  /// The largest size that has at most as many pixels as `bound` and is fast enough. If none is fast enough, the largest size with at most as many
  /// pixels; if there is none either, the smallest size of the camera.
  private func largest(within bound: FrameSize, reaching rate: Double) -> Offer? {
    let fitting = offers.filter { $0.size.area <= bound.area }
    let quick = fitting.filter { $0.reaches(rate) }
    return (quick.isEmpty ? fitting : quick).max { $0.size.area < $1.size.area }
      ?? offers.min { $0.size.area < $1.size.area }
  }

  /// A request for the offer's size, at the first of `rates` that it reaches, or else at its fastest rate.
  private func request(_ offer: Offer?, rates: [Double] = [usualRate, smoothRate]) -> Wanted {
    let rate = offer.flatMap { offer in rates.first { offer.reaches($0) } }
    return Wanted(
      request: VideoRequest(encoding: encoding, size: offer?.size, rate: rate), purpose: .video)
  }

  private func exact(_ preset: SessionPreset) throws(CaptureError) -> Offer {
    let options = admissible(encoding).flatMap(\.sizes)
    guard let size = preset.size, let option = options.first(where: { $0.contains(size) }) else {
      throw refusal(preset, "its sizes are: \(sizeList)")
    }
    return offers.first { $0.size == size } ?? Offer(size: size, rate: option.intervals.fastest?.rate)
  }

  private func intraCoded(_ preset: SessionPreset) throws(CaptureError) -> Wanted {
    let size = try exact(preset).size
    for format in admissible(.jpeg) {
      for option in format.sizes where option.contains(size) {
        guard let interval = option.intervals.fastest(from: Self.smoothRate, to: Self.usualRate) else {
          continue
        }
        let request = VideoRequest(pixelFormat: format.pixelFormat, size: size, rate: interval.rate)
        return Wanted(request: request, purpose: .video)
      }
    }
    let most = offers.first { $0.size == size }?.rate.flatMap { FrameInterval(rate: $0) }
    throw refusal(
      preset,
      "that is 25 to 30 frames a second, and at \(size) its most is \(most.map { "\($0)" } ?? "unknown")")
  }

  private func refusal(_ preset: SessionPreset, _ what: String) -> CaptureError {
    CaptureError(
      .invalidArgument,
      "\(camera) has no format for the preset \(preset.name): \(what); choose high, inputPriority or an active format",
      .init(
        .valueNotPossible, field: "preset", asked: .text(preset.name),
        possible: [SessionPreset.photo, .high, .medium, .low, .inputPriority].map(\.name))
    )
  }

  /// The sizes, the largest first.
  private var sizeList: String {
    let sizes = offers.map(\.size).sorted { ($0.area, $0.width) > ($1.area, $1.width) }
    let more = sizes.count > 12 ? " and \(sizes.count - 12) more" : ""
    return sizes.prefix(12).map(\.description).joined(separator: ", ") + more
  }
}

extension IntervalOptions {
  /// The shortest interval; `nil` where the driver reports none.
  fileprivate var fastest: FrameInterval? {
    switch self {
    case .unknown: nil
    case .discrete(let intervals): intervals.min()
    case .range(let minimum, _, _): minimum
    }
  }

  /// The shortest interval whose rate is in this range, in frames a second.
  fileprivate func fastest(from lowest: Double, to highest: Double) -> FrameInterval? {
    let candidates: [FrameInterval]
    switch self {
    case .unknown: candidates = []
    case .discrete(let intervals): candidates = intervals
    case .range(let minimum, let maximum, _):
      let wanted = FrameInterval(rate: highest)
      candidates = wanted.map { [min(max($0, minimum), maximum)] } ?? []
    }
    return candidates.filter { $0.reaches(rate: lowest) && !$0.exceeds(rate: highest) }.min()
  }
}
