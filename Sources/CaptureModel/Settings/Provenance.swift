/// How a value is known.
public enum Provenance: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// The driver says so.
  case reported
  /// Measured from this camera's pixels.
  case calibrated
  /// What such cameras usually do, or what was set and cannot be read back.
  case assumed
  /// Nobody can know: the camera's own automatic values, or one that moves.
  case unknown

  /// By certainty: what the driver reports is least.
  public static func < (a: Provenance, b: Provenance) -> Bool { a.rawValue < b.rawValue }
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
