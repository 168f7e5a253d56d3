import CaptureModel

/// Continues a device's stream when the source of its pictures changes.
extension DeviceInputs {
  /// Sets the camera to the signal that is there.
  func followSource(on device: isolated Device) async {
    do throws(CaptureError) {
      try await change("the source has changed", on: device, where: \.hasNewSignal) {
        camera throws(CaptureError) in
        _ = try await camera.adoptSignal()
      }
    } catch {
      noteRefusal(error)
    }
  }

  /// Makes the camera take another source by `change`, while nothing streams. A stream that ran continues in a format that is possible then. `isDue`:
  /// whether the change is still due when its turn has come.
  func change(
    _ reason: String, on device: isolated Device, where isDue: (DeviceInputs) -> Bool = { _ in true },
    _ change: (any Camera) async throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    // A call that is cancelled before its turn must not stop the stream; later it runs to its end.
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    guard isDue(self) else { return }
    let camera = try context.camera.required()
    let (stream, before) = (context.stream.active, current)
    if stream != nil { await camera.stopStreaming() }
    var failure: CaptureError?
    do throws(CaptureError) { try await change(camera) } catch { failure = error }
    let input = (try? await readInput(of: camera)) ?? current
    if context.camera.isPresent(camera) { inputWasSet(input) }
    if let stream { await resume(stream, after: before, reason, of: camera, on: device) }
    if context.camera.isPresent(camera) { await device.settings.formatChanged(of: camera) }
    if let failure { throw failure }
  }

  private func resume(
    _ stream: ActiveStream, after before: CameraInput?, _ reason: String, of camera: any Camera,
    on device: isolated Device
  ) async {
    let stream = stream.asViewed
    stream.video.setLarger(nil)
    do throws(CaptureError) {
      let wanted = try await request(for: stream, after: before, on: device)
      var next = stream
      next.format = StreamFormat(wanted)
      stream.video.move(to: device.frameDuration.runningStream(of: next), from: stream.format)
      let now = current?.signal.map { ": \($0)" } ?? ""
      let isExcluded = device.frameDuration.exclude(wanted)
      try await device.restart(
        stream, as: wanted, of: camera,
        because: reason + now + (isExcluded ? ", which the bounds of the frame duration exclude" : ""))
      streamStarted()
      context.stream.reservation?.report(.reformatted, "")
    } catch {
      device.end(stream, because: error)
    }
  }

  /// The request with which the stream continues: the same picture if the camera still has it. If the stream had the old signal's size, it gets the
  /// new signal's.
  private func request(
    for stream: ActiveStream, after before: CameraInput?, on device: isolated Device
  ) async throws(CaptureError) -> StreamRequest {
    if let asked = context.stream.reservation?.asked {
      return try await device.resolve(asked.preset, asked.format)
    }
    let format = stream.format
    let formats = try await context.camera.formats()
    let pixelFormat = formats.contains { $0.pixelFormat == format.pixelFormat } ? format.pixelFormat : nil
    var request = VideoRequest(
      encoding: pixelFormat?.isJPEG == false ? .raw : .jpeg, pixelFormat: pixelFormat, rate: stream.askedRate)
    if case .timings(let timings) = before?.signal, timings.size == format.size,
      case .timings(let now) = current?.signal
    {
      request.size = now.size
      if let native = try? await choose(request, on: device) { return native }
    } else {
      request.size = format.size
      if let same = try? await choose(request, on: device) { return same }
    }
    request.size = nil
    return try await choose(request, on: device)
  }

  private func choose(_ request: VideoRequest, on device: isolated Device) async throws(CaptureError)
    -> StreamRequest
  {
    do throws(CaptureError) {
      return try await device.frameDuration.choose(request, for: .video)
    } catch {
      // The rate that was first asked for may be too high for the new signal, so it is left out.
      guard error.code == .invalidArgument, request.rate != nil else { throw error }
      var request = request
      request.rate = nil
      return try await device.frameDuration.choose(request, for: .video)
    }
  }
}
