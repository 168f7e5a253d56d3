/// How a value is known. The cases stand in the order of the numbers in the contract. The raw values order them by certainty, and are used only here.
public enum Provenance: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The driver reported the value. If an automatic mode moves the value, this is the one from when the driver was asked.
  case reported = 0
  /// The node measured the value in this camera's pictures, by a calibration.
  case calibrated = 1
  /// Such cameras usually have the value; or it was set and cannot be read back; or, for a frame, the driver reported an automatic value shortly
  /// before.
  case assumed = 3
  /// Nobody knows the value: the camera's own automatic mode sets it, and its driver does not report it, or did not lately, or it is moving.
  case unknown = 5
  /// The node saw the value in this camera's pictures in use: a delay after the node set something itself, or how far a picture is off its target.
  case observed = 2
  /// The value follows from others by their usual meaning, such as the temperature of light from white balance gains that were set or found.
  case derived = 4

  /// Compares by certainty: the more certain is less, and `reported` is the least.
  public static func < (a: Provenance, b: Provenance) -> Bool { a.rawValue < b.rawValue }

  /// Lowers the certainty to that of `other`, if `other` is less certain.
  mutating func weaken(to other: Provenance) { self = max(self, other) }
}

/// A value and how it is known.
public struct Observed<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value. It means nothing where its provenance is `unknown`.
  public var value: Value
  /// How the value is known.
  public var provenance: Provenance

  public init(_ value: Value, _ provenance: Provenance) {
    self.value = value
    self.provenance = provenance
  }
}
