internal import CaptureModel

/// Follows the numbers of a stream's frames, to find out after a pause whether they went on.
///
/// A stream that was started anew during the pause counts from 0 again, and may have passed the former number since. So the numbers must also fit the
/// time that has passed.
struct FrameNumbering {
  private struct Place {
    var sequence: UInt64
    /// The timestamp, in nanoseconds.
    var time: UInt64

    init(_ info: FrameInfo) { (sequence, time) = (info.sequence, info.timestamp.nanoseconds) }
  }
  /// The frame from which on the numbers have only gone up.
  private var first: Place?
  /// The latest frame taken.
  private var last: Place?

  /// Takes the next frame. `isNew`: it is of another stream than the frame before.
  mutating func take(_ info: FrameInfo, isNew: Bool) {
    let place = Place(info)
    if isNew || last.map({ place.sequence <= $0.sequence || place.time <= $0.time }) ?? true { first = place }
    last = place
  }

  /// How many frames the camera gave between the last frame taken and this one; `nil`: the camera's stream began anew, or the number cannot be known.
  func missed(before info: FrameInfo) -> UInt64? {
    let next = Place(info)
    guard let first, let last, last.sequence > first.sequence, next.sequence > last.sequence,
      next.time > last.time
    else { return nil }
    let rate = Double(last.sequence - first.sequence) / Double(last.time - first.time)
    let expected = rate * Double(next.time - last.time)
    let steps = next.sequence - last.sequence
    return abs(Double(steps) - expected) <= 2 + expected / 10 ? steps - 1 : nil
  }
}
