import CaptureModel

/// The zoom of cameras that have no control for it: the driver scales the middle of the sensor, else the node that of each frame.
extension DeviceController {
  static let ownZooms = SettingsDescription.ValueRange(minimum: 1, maximum: 8, defaultValue: 1)

  /// What magnifies where no control does; `nil`: one does, or nothing can.
  func ownZoomKind(_ known: KnownControls) -> ZoomKind? {
    guard !known.map.has(.zoomFactor) else { return nil }
    if settingsState.crop != nil, settingsState.cropRefusal == nil { return .sensorCrop }
    return isCuttable ? .digital : nil
  }

  /// Takes from a change what there is no control for.
  func planOwnZoom(
    _ change: inout SettingsChange, _ known: KnownControls, _ clamping: inout Clamping
  ) throws(CaptureError) -> Double? {
    guard let zoom = change.zoom, ownZoomKind(known) != nil else { return nil }
    change.zoom = nil
    return try clamping.take(zoom.factor, in: Self.ownZooms, .zoomFactor, by: name)
  }

  /// By the driver, else from the next frame on whose exposure begins later, as if the camera did it.
  func zoom(to factor: Double, on camera: any Camera) async throws(CaptureError) -> FrameTimeline.Part {
    if let part = try await crop(to: factor, on: camera) { return part }
    settingsState.ownZoom = factor
    return .fromNowOn(.zoomFactor, factor)
  }

  // MARK: The sensor's crop

  /// Asks a camera that has no zoom, once; has it as it was left.
  func askForCrop(of camera: any Camera, _ known: KnownControls) async {
    guard !settingsState.isCropAsked, !known.map.has(.zoomFactor) else { return }
    settingsState.isCropAsked = true
    guard let crop = try? await camera.crop(), self.camera === camera else { return }
    settingsState.crop = crop
    if memory.zoom == nil { settingsState.ownZoom = crop.factor }
    await restoreCrop(of: camera)
  }

  /// Drivers may choose another part of the sensor with a stream's format.
  func restoreCrop(of camera: any Camera) async {
    guard settingsState.crop != nil, settingsState.cropRefusal == nil, let now = try? await camera.crop()
    else { return }
    let wanted = settingsState.ownZoom
    guard abs(now.factor - wanted) > Self.cropTolerance * wanted else { return settingsState.crop = now }
    _ = try? await crop(to: wanted, on: camera)
  }

  /// `nil` where the driver cannot: the node crops from then on, and says why.
  private func crop(to factor: Double, on camera: any Camera) async throws(CaptureError)
    -> FrameTimeline.Part?
  {
    guard let present = settingsState.crop, settingsState.cropRefusal == nil else { return nil }
    do throws(CaptureError) {
      let (crop, moment) = try await camera.setCrop(
        present.area(magnifying: factor), pacing: timeline.pacing)
      settingsState.crop = crop
      settingsState.ownZoom = crop.factor
      return FrameTimeline.Part(
        setting: .zoomFactor, value: Observed(crop.factor, .reported), moment: moment,
        delay: delays[.sensorCrop])
    } catch {
      guard error.code == .failedPrecondition else { throw error }
      if present.area != present.whole { _ = try? await camera.setCrop(present.whole, pacing: nil) }
      settingsState.cropRefusal = error.message
      timeline.zoomsDigitally()
      return nil
    }
  }

  /// Pixels and alignment keep a driver from being exact.
  private static let cropTolerance = 0.05
}
