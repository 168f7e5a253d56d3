import CaptureModel

/// The cameras that are not served, and why.
extension V4L2Provider {
  /// The reasons, for a person, why cameras are not served: one for each part of the selection that is not there now or, if all cameras are selected,
  /// one for each node that could not be opened. Empty when nothing is missing.
  public nonisolated var missing: [String] { reasons.withLock { $0 } }

  func noteMissing() {
    let reasons = missingNow()
    self.reasons.withLock { $0 = reasons }
  }

  private func missingNow() -> [String] {
    guard case .only(let specifications) = selection else {
      return (failures.values.map(\.message) + silent.map(Self.silence)).sorted()
    }
    return specifications.compactMap { specification in
      cameras.contains { matches(specification, $0.value.node.path, $0.key) }
        ? nil : absence(of: specification)
    }
  }

  private static func silence(of node: VideoNode) -> String {
    "\(node.path) does not answer: its driver has not opened it yet; it is served when it does"
  }

  private func absence(of specification: String) -> String {
    if let error = failures.first(where: { $0.key.path == specification })?.value { return error.message }
    if let node = silent.first(where: { $0.path == specification }) { return Self.silence(of: node) }
    if let what = others.first(where: { $0.key.path == specification })?.value {
      return "\(specification) is \(what)"
    }
    let present = (cameras.map { ($0.value.node, $0.key) } + unselected.map { ($0.key, $0.value) })
      .map { "\($0.path) (\($1))" }.sorted()
    let others = present.isEmpty ? "there are none" : "there are: " + present.joined(separator: ", ")
    // The missing camera may be one of those that could not be opened.
    let unopened = failures.values.map { "; \($0.message)" }.sorted().joined()
    return "no camera is '\(specification)' now; it is served when it appears; " + others + unopened
  }
}
