extension [CameraInput] {
  public var selected: CameraInput? { first(where: \.isSelected) }

  /// Finds the input that a person means, by name (in any case) or index. Throws `notFound`, which lists the inputs, or `invalidArgument` for a name
  /// that several inputs have.
  public func find(_ reference: String, of camera: String) throws(CaptureError) -> CameraInput {
    let named = filter { $0.name.lowercased() == reference.lowercased() }
    if named.count == 1 { return named[0] }
    let listing =
      isEmpty ? "it has none to choose from" : "there are: " + map(\.listed).joined(separator: ", ")
    guard named.isEmpty else {
      throw CaptureError(
        .invalidArgument, "\(camera) has several inputs \(reference.quoted); use an index; \(listing)",
        .init(
          .ambiguousName, field: "input", asked: .text(reference), possible: named.map { "\($0.index)" }))
    }
    if let index = Int(normalForm: reference), let input = first(where: { $0.index == index }) {
      return input
    }
    throw CaptureError(
      .notFound, "\(camera) has no input \(reference.quoted); \(listing)",
      .init(.unknownName, field: "input", asked: .text(reference), possible: map(\.name)))
  }
}

extension CameraInput {
  fileprivate var listed: String { "\(index) '\(name)'" }
}
