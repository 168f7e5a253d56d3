import CaptureControls
import CaptureModel

/// Describes the photo that a request would give, without taking it.
extension Photos {
  /// Returns the description of the photo that the request would give, or throws the error that refuses the request. It takes no photo, and starts no
  /// camera. A bracket is judged by the camera's present settings. Throws `failedPrecondition` for a session that does not run, and the reason of its
  /// interruption for one that is interrupted.
  public func resolve(
    _ request: PhotoRequest, at time: PhotoTime = .next, bracket steps: [BracketStep] = [], burst: Int? = nil,
    of input: PhotoInput? = nil, on device: isolated Device
  ) async throws(CaptureError) -> ResolvedPhoto {
    try request.validate()
    try requirePossible(request, at: time, of: input)
    if burst != nil { try Self.requireBurst(request) }
    var request = request.seen(through: input?.transform ?? .identity)
    if !steps.isEmpty || burst != nil { request.frame.flash = .off }
    let running = try activeStream(for: input)
    let stream =
      if let running { running.format } else { StreamFormat(try await formatForIdle(request)) }
    if !steps.isEmpty { try await requirePossible(steps, request, at: stream.interval) }
    guard let running else {
      return try await resolve(
        request,
        in: RunningStream(context.camera.name, stream, context.camera.imaging, for: .nobody))
    }
    var resolved = try await resolve(request, of: running)
    if running.hasFrame(of: time) { resolved.settling = .zero }
    return resolved
  }

  /// The stream from which a photo would be taken; `nil`: the camera is idle.
  private func activeStream(for input: PhotoInput?) throws(CaptureError) -> ActiveStream? {
    if let input { return try stream(of: input.reservation) }
    try context.stream.requireNoSession(of: context.camera.name)
    guard let running = context.stream.active, !running.hub.isIdle else { return nil }
    _ = try context.camera.required()
    return running
  }

  private func formatForIdle(_ request: PhotoRequest) async throws(CaptureError) -> StreamRequest {
    try await frameDuration.choose(
      try await requestForIdle(request), for: .photo, converts: true)
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
    return try await resolve(request, in: frameDuration.runningStream(of: stream))
  }

  private func resolve(_ request: PhotoRequest, in stream: RunningStream) async throws(CaptureError)
    -> ResolvedPhoto
  {
    try await inputs.requireSignal(for: request.frame)
    let plan = try PhotoPlan(request, in: stream)
    return plan.resolved(request.frame, flash: try await resolvedFlash(request.frame.flash))
  }
}
