import CaptureModel

/// A photo of a bracket.
public struct BracketPhoto: Sendable {
  public let photo: Photo
  public let place: SequencePlace
  public let outcome: BracketOutcome
}
