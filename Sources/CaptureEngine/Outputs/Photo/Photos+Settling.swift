import Capture3A
import CaptureControls
import CaptureImaging
import CaptureModel
import CaptureSystem

/// Makes photos wait until the camera has settled.
extension Photos {
  /// Waits until the automatic modes are at rest, but not longer than the request allows. Returns how that is known; `nil`: the request asks not to
  /// wait. `moment`: the moment of a photo whose frame is chosen during the wait, which then ends with the first frame after the moment; `nil`: the
  /// photo is of a frame after the wait.
  func settle(
    _ request: VideoRequest, _ stream: ActiveStream, before moment: UInt64? = nil
  ) async throws(CaptureError) -> PhotoSettling? {
    guard let bounds = Settling.Bounds(request) else { return nil }
    if let camera = context.camera.present { await settings.prepare(of: camera) }
    var settling = Settling(automatic(in: stream), bounds)
    if let provenance = settling.answer(to: await observation(stream, for: settling)) {
      return PhotoSettling(provenance)
    }
    let began = MonotonicClock.now()
    while true {
      let taken = try await nextFrame(for: PhotoConsumer(), from: stream.hub) {}.taken
      var observation = await observation(stream, for: settling, of: taken)
      if let moment { observation.isLast = taken.beginning.time >= moment }
      guard let provenance = settling.observe(observation) else { continue }
      if provenance == .observed { stream.hub.sawSettled(after: observation.disturbances) }
      return PhotoSettling(
        provenance, waited: .nanoseconds(MonotonicClock.now() - began), frames: settling.frames)
    }
  }

  /// Returns which modes are automatic now, and by which source it is known that they are at rest.
  private func automatic(in stream: ActiveStream) -> Settling.Automatic {
    let present = settings.latest() ?? CameraSettings()
    let software = settings.software
    // The node's modes count only while they get frames: otherwise they do not search.
    let node: Settling.Source? = software.map { stream.hub.isJoined(by: $0) } == true ? .node : nil
    var automatic = Settling.Automatic()
    automatic.isVisible = software != nil && FrameMeter.canMeasure(stream.format.pixelFormat)
    if let exposure = present.exposure, settings.hasExposureModes || exposure.isSoftware {
      automatic.exposure = exposure.mode.isAutomatic ? exposure.isSoftware ? node : .pictures : nil
    } else if inputs.current?.signal == nil {
      // A camera without a control of the mode is taken to expose by itself. Pictures that come by a cable are not exposed by the camera.
      (automatic.exposure, automatic.isGuessed) = (.pictures, true)
    }
    if let focus = present.focus, focus.mode.isAutomatic {
      automatic.focus = focus.isSoftware ? node : settings.hasFocusStatus ? .driver : .pictures
    }
    if let balance = present.whiteBalance, balance.mode.isAutomatic {
      automatic.whiteBalance = balance.isSoftware ? node : .pictures
    }
    return automatic
  }

  /// Gathers what is known when a frame has come. `taken`: that frame; `nil`: none has come yet.
  private func observation(
    _ stream: ActiveStream, for settling: Settling, of taken: TakenFrame? = nil
  ) async -> Settling.Observation {
    var observation = Settling.Observation.unknown
    observation.time = taken?.moment.time ?? 0
    if settling.needs(.driver) {
      observation.focusStatus = try? await settings.readings(of: [.autoFocusStatus]).first?.value.number
    }
    let before = stream.hub.steadiness.disturbances
    if settling.needs(.pictures), let taken { observation.picture = await measure(taken, in: stream.hub) }
    if settling.needs(.node), let software = settings.software {
      observation.isNodeAtRest = software.isSettled(taken?.settings ?? context.timeline.current)
      observation.judged = software.judged
    }
    let steadiness = stream.hub.steadiness
    (observation.steadiness, observation.sinceSettled) = (steadiness.duration, steadiness.sinceSettled)
    observation.disturbances = steadiness.disturbances
    // The picture says nothing if something changed while it was measured.
    if steadiness.disturbances != before { observation.picture = .unusable }
    return observation
  }

  /// Measures a frame, unless another photo measures one that came before it.
  func measure(_ taken: TakenFrame, in hub: StreamHub) async -> Settling.Observation.Picture {
    guard let software = settings.software else { return .unmeterable }
    guard hub.steadiness.has(taken.settings?.change) else { return .unusable }
    return await meter.measure(taken, in: hub) {
      [workers = workers(for: taken), camera = context.camera.id] in
      await workers.perform(for: camera) { _ in
        do throws(CaptureError) {
          return .reading(SettlingReading(try software.measure(taken.frame)))
        } catch {
          return error.code == .dataLoss ? .unusable : .unmeterable
        }
      }
    }
  }
}

extension Settling.Bounds {
  /// Takes the bounds from a request; `nil`: the request asks not to wait.
  fileprivate init?(_ request: VideoRequest) {
    guard let bound = request.settling else {
      self.init()
      return
    }
    guard bound > .zero else { return nil }
    self.init(node: bound, others: bound)
  }
}
