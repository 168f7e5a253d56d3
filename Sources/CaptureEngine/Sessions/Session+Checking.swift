import CaptureModel

extension Session {
  /// Returns the status that ``configure(_:cameras:revision:starts:isNew:isRestored:)`` would give the session, or throws its error, and changes
  /// nothing.
  func check(
    _ asked: SessionConfiguration, cameras: [String: Device], revision: UInt64, starts: Bool
  ) async throws(CaptureError) -> SessionStatus {
    let asked = try asked.validated()
    try requireOpen()
    try require(revision)
    var status = status()
    status.activeFormats = try await formats(of: asked, cameras)
    status.configuration = asked
    status.connectionLimits = limits(of: status, cameras)
    status.isRunning = isRunning || starts
    status.revision += 1
    return status
  }

  /// The formats that the inputs of a configuration would have. Throws the errors of a camera that somebody else has, or that cannot give what is
  /// asked for.
  private func formats(
    of configuration: SessionConfiguration, _ cameras: [String: Device]
  ) async throws(CaptureError) -> [ActiveFormat?] {
    var formats: [ActiveFormat?] = []
    for (index, input) in configuration.inputs.enumerated() {
      guard let device = cameras[input.camera] else { continue }
      let isOwn = inputs.contains { $0.device === device }
      let wanted: StreamRequest
      do throws(CaptureError) {
        wanted = try await device.run { device throws(CaptureError) in
          if !isOwn { try device.requireReservable() }
          return try await device.frameDuration.resolve(configuration.preset, input.format)
        }
      } catch { throw error.naming(input, at: index, device) }
      formats.append(
        ActiveFormat(pixelFormat: wanted.pixelFormat, size: wanted.size, interval: wanted.interval))
    }
    return formats
  }

  /// The limits of the connections with the formats that the inputs would have.
  private func limits(of status: SessionStatus, _ cameras: [String: Device]) -> [ConnectionLimits] {
    status.configuration.limits { camera in
      guard let imaging = cameras[camera]?.imaging,
        let index = status.configuration.inputs.firstIndex(where: { $0.camera == camera }),
        status.activeFormats.indices.contains(index), let format = status.activeFormats[index],
        let pixelFormat = format.pixelFormat, let size = format.size
      else { return nil }
      return (StreamRequest(pixelFormat: pixelFormat, size: size), imaging)
    }
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
