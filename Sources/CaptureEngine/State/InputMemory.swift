import CaptureModel

/// An input that a client chose, as the node remembers it.
public struct InputMemory: Hashable, Sendable, Codable {
  public var index: Int
  public var name: String

  public init(_ input: CameraInput) { (index, name) = (input.index, input.name) }
}

extension [CameraInput] {
  /// Finds the input that was chosen before. An input with the same name and index comes before one with the same name alone.
  func find(_ memory: InputMemory) -> CameraInput? {
    first { $0.index == memory.index && $0.name == memory.name } ?? first { $0.name == memory.name }
  }
}
