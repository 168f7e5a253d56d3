extension CameraScope {
  /// Whether every camera that `pattern` matches is in the scope. Patterns are compared as texts: `false` also where that cannot decide.
  public func covers(_ pattern: String) -> Bool {
    patterns.isEmpty || patterns.contains { $0 == pattern || Self.covers($0, pattern) }
  }

  /// Whether every camera of another scope is in this one, as far as a comparison of texts can decide.
  func covers(_ other: CameraScope) -> Bool {
    (other.isEvery ? ["*"] : other.patterns).allSatisfy(covers)
  }

  /// Returns whether each part of `pattern` is the same in `wide`, or stands where `wide` has a '*'.
  private static func covers(_ wide: String, _ pattern: String) -> Bool {
    guard wide != "*" else { return true }
    let isLiteral = !pattern.contains { "*?[".contains($0) }
    guard isLiteral || !wide.contains("?") && !wide.contains("[") && !pattern.contains("[") else {
      return false
    }
    return CameraScope([wide]).contains(camera: pattern)
  }

  /// The scope with the cameras of another scope added. A pattern that another one covers is left out.
  public func adding(_ other: CameraScope) -> CameraScope {
    guard !isEvery, !other.isEvery else { return .every }
    let new = other.patterns.indices.map { (other.patterns[$0], before: other.patterns[..<$0]) }.filter {
      !covers($0.0) && !$0.before.contains($0.0)
    }.map(\.0)
    guard !new.isEmpty else { return self }
    return CameraScope(patterns.filter { !CameraScope(new).covers($0) } + new)
  }
}
