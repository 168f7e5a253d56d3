import CaptureModel

extension Session {
  /// Says what ``configure(_:cameras:revision:starts:isRestored:)`` would make of the session, or throws its error, and changes nothing
  /// (`canAddInput`, `canAddOutput`). No stream is started for it, so that a lack of room on the bus does not show.
  func check(
    _ asked: SessionConfiguration, cameras: [String: Device], revision: UInt64, starts: Bool
  ) async throws(CaptureError) -> SessionStatus {
    let asked = try asked.validated()
    try await turn.enter()
    defer { turn.leave() }
    try requireOpen()
    try require(revision)
    let change = try await prepare(asked, cameras)
    await release(change.taken)
    var status = status()
    status.configuration = change.configuration
    status.isRunning = isRunning || starts
    status.revision += 1
    status.activeFormats = change.inputs.map { input in
      let wanted = input.wanted
      return ActiveFormat(pixelFormat: wanted.pixelFormat, size: wanted.size, interval: wanted.interval)
    }
    return status
  }

  /// Throws `aborted` unless `revision` is 0 or the present one.
  func require(_ revision: UInt64) throws(CaptureError) {
    guard revision == 0 || revision == self.revision else {
      throw CaptureError(
        .aborted,
        "'\(name)' is at revision \(self.revision), not \(revision): it was changed meanwhile; look at it and try again",
        .init(.revisionChanged, field: "revision", asked: .number(Double(revision)), bound: self.revision))
    }
  }
}
