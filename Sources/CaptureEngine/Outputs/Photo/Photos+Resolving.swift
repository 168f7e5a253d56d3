import CaptureModel

/// Describes the photo of a request without taking it: `canApply…`.
extension Photos {
  /// Returns what would become of the request, or throws its refusal. It takes no photo, and starts no camera. Throws `failedPrecondition` for a session that does
  /// not run.
  public func resolve(
    _ request: PhotoRequest, of input: PhotoInput? = nil, on device: isolated Device
  ) async throws(CaptureError) -> ResolvedPhoto {
    try request.validate()
    let request = request.seen(through: input?.transform ?? .identity)
    if let input { return try await resolve(request, of: stream(of: input.reservation)) }
    try context.stream.requireNoSession(of: context.camera.name)
    if let running = context.stream.active, !running.hub.isIdle {
      _ = try context.camera.required()
      return try await resolve(request, of: running)
    }
    let wanted = try await settings.frameDuration.choose(
      try await requestForIdle(request), for: .photo, converts: true)
    return try await resolve(
      request,
      in: RunningStream(
        context.camera.name, StreamFormat(wanted), context.camera.imaging, for: .nobody))
  }

  private func resolve(_ request: PhotoRequest, of stream: ActiveStream) async throws(CaptureError)
    -> ResolvedPhoto
  {
    if let other = try await formatToSwitch(to: request, from: stream) {
      try await inputs.requireSignal(for: request.frame)
      return try photoPlan(request, switchedTo: StreamFormat(other)).resolved(
        request.frame, flash: try await resolvedFlash(.off))
    }
    var stream = stream
    if let larger = try await largerFormat(for: request, than: stream) {
      stream.format = StreamFormat(larger)
    }
    return try await resolve(request, in: settings.frameDuration.running(stream))
  }

  private func resolve(_ request: PhotoRequest, in stream: RunningStream) async throws(CaptureError)
    -> ResolvedPhoto
  {
    try await inputs.requireSignal(for: request.frame)
    let plan = try PhotoPlan(request, in: stream)
    return plan.resolved(request.frame, flash: try await resolvedFlash(request.frame.flash))
  }
}
