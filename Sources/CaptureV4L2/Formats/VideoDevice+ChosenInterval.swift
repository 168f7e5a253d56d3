import CVideo4Linux
import CaptureModel
import CaptureSystem

/// The frame interval to set for a request.
struct ChosenInterval {
  var interval: FrameInterval
  /// Whether the driver names the intervals that it has.
  var isNamed: Bool
}

extension VideoDevice {
  /// The requested interval as the driver has it: 30 fps may be 333333/10000000 s. `nil`: the request has no interval.
  func chooseInterval(_ request: StreamRequest, _ path: String) throws(CaptureError) -> ChosenInterval? {
    guard let wanted = request.interval else { return nil }
    let options = try? intervalList(for: request.pixelFormat, at: request.size)
    switch options {
    case .discrete(let intervals):
      if let match = intervals.first(where: { $0.isAbout(wanted) }) {
        return ChosenInterval(interval: match, isNamed: true)
      }
      let rates = intervals.map(\.description).joined(separator: ", ")
      throw CaptureError(
        .invalidArgument,
        "\(path) offers no \(wanted) at \(request.size) \(request.pixelFormat); it offers: \(rates)",
        .init(
          .valueNotPossible, field: "rate", asked: .text("\(wanted)"), possible: intervals.map(\.description))
      )
    case .range(let minimum, let maximum, _):
      if wanted >= minimum && wanted <= maximum || wanted.isAbout(minimum) || wanted.isAbout(maximum) {
        return ChosenInterval(interval: wanted, isNamed: true)
      }
      throw CaptureError(
        .invalidArgument,
        "\(path) offers no \(wanted) at \(request.size) \(request.pixelFormat); it offers \(maximum) to \(minimum)",
        .init(
          .valueOutOfRange, field: "rate", asked: .number(wanted.rate),
          range: .init(maximum.rate, minimum.rate))
      )
    case .unknown, nil:
      return ChosenInterval(interval: wanted, isNamed: false)
    }
  }

  /// Sets the interval and returns what the driver made of it. `nil`: the driver has an interval of its own, which it does not tell: it neither names
  /// intervals nor takes one.
  func setInterval(
    _ chosen: ChosenInterval, for request: StreamRequest, _ type: BufferType, _ path: String
  ) throws(CaptureError) -> FrameInterval? {
    let wanted = chosen.interval
    let failure = DeviceFailure(path: path)
    let actual = try failure.wrap("setting \(wanted)") { () throws(Errno) -> FrameInterval? in
      try setInterval(wanted, type)
    }
    if let actual, actual.isAbout(wanted) { return actual }
    if actual == nil, !chosen.isNamed, !request.requiresInterval { return nil }
    let instead = actual.map { "its driver made \($0) of it" } ?? "its driver has no settable rate"
    throw CaptureError(
      .invalidArgument,
      "\(path) cannot do \(request.size) \(request.pixelFormat) at \(wanted): \(instead)",
      .init(
        .valueNotPossible, field: "rate", asked: .text("\(wanted)"),
        possible: actual.map { ["\($0)"] } ?? []))
  }
}

extension FrameInterval {
  /// Whether both are equal except for rounding: 30 fps and 333333/10000000 s are, 30 and 29.97 fps are not.
  fileprivate func isAbout(_ other: FrameInterval) -> Bool {
    abs(seconds - other.seconds) < 0.0005 * seconds
  }
}
