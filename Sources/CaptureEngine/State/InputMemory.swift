import CaptureModel

/// An input that a client chose, as the node remembers it.
public struct InputMemory: Hashable, Sendable, Codable {
  public var index: Int
  public var name: String

  public init(_ input: CameraInput) { (index, name) = (input.index, input.name) }
}

extension [CameraInput] {
  /// Finds the input that was chosen before. Its name counts more than its place.
  func find(_ memory: InputMemory) -> CameraInput? {
    first { $0.index == memory.index && $0.name == memory.name } ?? first { $0.name == memory.name }
  }
}
