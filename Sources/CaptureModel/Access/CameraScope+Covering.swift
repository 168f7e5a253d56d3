extension CameraScope {
  /// Whether it has every camera that `pattern` matches, as far as texts can say: `false` also where that would take more than comparing them.
  public func covers(_ pattern: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0 == pattern || Self.covers($0, pattern) }
  }

  /// Whatever stands in `pattern` is matched by a '*' of `wide`, or is the same there.
  private static func covers(_ wide: String, _ pattern: String) -> Bool {
    guard wide != "*" else { return true }
    let isLiteral = !pattern.contains { "*?[".contains($0) }
    guard isLiteral || !wide.contains("?") && !wide.contains("[") && !pattern.contains("[") else {
      return false
    }
    return CameraScope([wide]).contains(camera: pattern)
  }

  /// With these patterns besides; those that they cover are left out.
  public func adding(_ others: [String]) -> CameraScope {
    guard !isEvery else { return self }
    let new = CameraScope(others)
    guard !new.isEvery else { return self }
    return CameraScope(
      patterns.filter { !new.covers($0) }
        + others.indices.filter { place in !others[..<place].contains(others[place]) }.map { others[$0] })
  }
}
