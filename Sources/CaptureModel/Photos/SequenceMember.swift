/// A photo as one of those that were taken together: a bracket, a burst or a timelapse.
public struct SequenceMember: Hashable, Sendable {
  /// The name of all of them: "bracket-1a2b3c4d", "burst-1a2b3c4d", or the job's, "timelapse-1a2b3c4d".
  public var name: String
  /// Its place among them.
  public var place: SequencePlace
  /// How it is known that the photo has the settings of its step; `nil`: it is of no bracket.
  public var bracket: BracketOutcome?

  public init(_ name: String, _ place: SequencePlace, bracket: BracketOutcome? = nil) {
    (self.name, self.place, self.bracket) = (name, place, bracket)
  }

  /// A name that no other sequence has. `kind`: "bracket".
  package static func newName(_ kind: String) -> String {
    let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
    return "\(kind)-\(String(repeating: "0", count: 8 - digits.count))\(digits)"
  }
}

/// A photo's place among those of one call, or of one timelapse.
public struct SequencePlace: Hashable, Sendable {
  /// From 1. In a timelapse the number of its tick: missed ones count too.
  public var number: Int
  /// How many were asked for; 0: a timelapse without an end.
  public var count: Int
  /// How many frames of the camera are missing between it and the photo before: its driver lost them, or they were damaged. In a bracket and in a
  /// timelapse it is 0.
  public var lost: Int

  /// The place `number` of `count`, after `lost` frames that are missing. The meanings are those of the properties.
  public init(_ number: Int, of count: Int, lost: Int = 0) {
    (self.number, self.count, self.lost) = (number, count, lost)
  }
}
