/// How a value is known.
public enum Provenance: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The driver says so: of an automatic value that moves, when it was asked.
  case reported
  /// Measured from this camera's pixels.
  case calibrated
  /// What such cameras usually do, or what was set and cannot be read back; of a frame also an automatic value that the driver told shortly before.
  case assumed
  /// Nobody can know: the camera's own automatic values that its driver does not tell, or did not lately, or one that moves.
  case unknown

  /// By certainty: what the driver reports is least.
  public static func < (a: Provenance, b: Provenance) -> Bool { a.rawValue < b.rawValue }

  /// Known no better than that.
  mutating func weaken(to other: Provenance) { self = max(self, other) }
}

/// A value and how it is known.
public struct Observed<Value: Hashable & Sendable>: Hashable, Sendable {
  public var value: Value
  public var provenance: Provenance

  public init(_ value: Value, _ provenance: Provenance) {
    self.value = value
    self.provenance = provenance
  }
}
