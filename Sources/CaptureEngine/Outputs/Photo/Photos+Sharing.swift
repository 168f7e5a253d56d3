import CaptureControls
import CaptureModel

/// Photos of an idle camera that are taken of one stream.
extension Photos {
  /// Waits for the photo's turn. If the photo before it has started the camera just as this one would, or is starting it so, this photo shares that
  /// turn: the stream is returned, and `keeper` has joined it. The last of these photos to leave the gate `photo` ends the turn.
  func enter(for request: PhotoRequest, _ keeper: StreamKeeper) async throws(CaptureError) -> ActiveStream? {
    try CaptureError.checkCancellation()
    if context.gates.photo.tryEnter() { return nil }
    if let shared = try await share(for: request, keeper) { return shared }
    try await context.gates.photo.enter()
    return nil
  }

  /// Joins the stream of the photo that has its turn. Returns `nil` if that stream has another format than this photo needs, if one of the photos
  /// shares no stream, or if the stream is needed no more. It also returns `nil` if somebody waits for the end of the turn: he comes next.
  private func share(for request: PhotoRequest, _ keeper: StreamKeeper) async throws(CaptureError)
    -> ActiveStream?
  {
    guard keeper.sharesStream else { return nil }
    // The camera may be starting.
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    guard context.stream.temporary != nil, let idle = try? await requestForIdle(request),
      let wanted = try? await frameDuration.choose(idle, for: .photo, converts: true),
      let stream = context.stream.temporary, stream.format.size == wanted.size,
      stream.format.pixelFormat == wanted.pixelFormat
    else { return nil }
    let keepers = stream.hub.consumers.compactMap { $0 as? StreamKeeper }
    guard !keepers.isEmpty, keepers.allSatisfy(\.sharesStream), context.gates.photo.tryJoin() else {
      return nil
    }
    do throws(CaptureError) {
      try stream.hub.join(keeper)
      try context.onlookers.join(stream.hub, for: use(of: idle))
      return stream
    } catch {
      stream.hub.leave(keeper)
      context.gates.photo.leave()
      throw error
    }
  }

  /// For what an idle camera is started by this request.
  func use(of idle: VideoRequest) -> StreamUse {
    StreamUse(temporary: "photo", isForAutomation: idle.settling != .zero && settings.isNodeAutomatic)
  }

  /// Whether nothing is lit for the photo of a request, and the camera's format is not changed for it.
  func leavesStreamAsItIs(_ request: PhotoRequest) -> Bool {
    request.fullSize?.interrupts != true && (request.frame.flash ?? settings.flashMode) == .off
  }
}
