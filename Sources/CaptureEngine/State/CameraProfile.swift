import CaptureModel

/// A camera's settings in a named profile: the driver's and the node's. A profile does not change a part that is `nil`.
public struct CameraProfile: Hashable, Sendable {
  public var controls = ControlMemory()
  /// The exposure mode that was asked for. It is saved because controls alone do not always tell the mode.
  public var exposureMode: ExposureMode?
  public var software: Software?
  /// The factor of the node's own zoom.
  public var zoom: Double?
  /// The level of a lamp that serves as the torch, 0…1.
  public var torchLevel: Double?
  /// The photos for which the flash fires.
  public var flash: LightMode?
  /// Empty bounds mean that there are none.
  public var frameDuration: SettingsChange.FrameDuration?

  public init() {}

  /// The node's own modes: whether they follow the scene, and their points.
  public struct Software: Hashable, Sendable {
    public struct Focus: Hashable, Sendable {
      public var isOn: Bool
      public var point: NormalizedPoint
      public var range: FocusRange

      package init(isOn: Bool, point: NormalizedPoint, range: FocusRange) {
        (self.isOn, self.point, self.range) = (isOn, point, range)
      }
    }
    public struct Exposure: Hashable, Sendable {
      public var isOn: Bool
      public var point: NormalizedPoint
      /// EV.
      public var bias: Double

      package init(isOn: Bool, point: NormalizedPoint, bias: Double) {
        (self.isOn, self.point, self.bias) = (isOn, point, bias)
      }
    }
    public var focus: Focus?
    public var exposure: Exposure?
    /// Whether white balance follows the light; `nil`: the node has no such mode for the camera.
    public var whiteBalance: Bool?
    /// Whether the torch follows the light; `nil`: the node has no such mode for the camera.
    public var torch: Bool?

    package init(focus: Focus?, exposure: Exposure?, whiteBalance: Bool?, torch: Bool?) {
      (self.focus, self.exposure) = (focus, exposure)
      (self.whiteBalance, self.torch) = (whiteBalance, torch)
    }

    /// The modes of the node that are on now. A one-time search is left out: a loaded profile does not repeat it.
    public init(_ settings: CameraSettings, _ abilities: SoftwareAbilities) {
      let clientValues = abilities.kept
      if abilities.hasFocusPoint {
        let now = settings.focus
        focus = Focus(
          isOn: now?.isSoftware == true && now?.mode == .continuous, point: clientValues.focusPoint,
          range: clientValues.focusRange)
      }
      if abilities.hasExposurePoint {
        let now = settings.exposure
        exposure = Exposure(
          isOn: now?.isSoftware == true && now?.mode == .continuous, point: clientValues.exposurePoint,
          bias: clientValues.bias)
      }
      if !abilities.whiteBalanceModes.isEmpty {
        let now = settings.whiteBalance
        whiteBalance = now?.isSoftware == true && now?.mode == .continuous
      }
      if !abilities.torchModes.isEmpty { torch = settings.torch?.isSoftware == true }
    }

    /// The request that restores these modes.
    public var request: SoftwareRequest {
      var request = SoftwareRequest.release
      if let focus {
        var wanted = focus.isOn ? SoftwareRequest.Focus() : .release
        if focus.isOn { wanted.mode = .continuous }
        (wanted.point, wanted.range) = (focus.point, focus.range)
        request.focus = wanted
      }
      if let exposure {
        var wanted = exposure.isOn ? SoftwareRequest.Exposure() : .release
        if exposure.isOn { wanted.mode = .continuous }
        (wanted.point, wanted.bias) = (exposure.point, exposure.bias)
        request.exposure = wanted
      }
      if whiteBalance == true {
        request.whiteBalance = SoftwareRequest.WhiteBalance()
        request.whiteBalance?.mode = .continuous
      }
      request.torch = torch ?? false
      return request
    }
  }

  /// Throws `failedPrecondition`, which names what the camera can no longer do. `hasZoom`: the node zooms the camera. `hasLamp`: the camera has a
  /// lamp.
  public func check(
    _ name: String, of camera: String, _ abilities: SoftwareAbilities, hasZoom: Bool, hasLamp: Bool
  ) throws(CaptureError) {
    var missing: [String] = []
    if software?.focus?.isOn == true, !abilities.focusModes.contains(.continuous) {
      missing.append("focus by the node")
    }
    if software?.exposure?.isOn == true, !abilities.exposureModes.contains(.continuous) {
      missing.append("exposure by the node")
    }
    if software?.whiteBalance == true, !abilities.whiteBalanceModes.contains(.continuous) {
      missing.append("white balance by the node")
    }
    if let zoom, zoom > 1, !hasZoom { missing.append("a zoom by the node") }
    if software?.torch == true, abilities.torchModes.isEmpty { missing.append("an automatic torch") }
    if let torchLevel, torchLevel > 0, !hasLamp { missing.append("a lamp as its torch") }
    guard !missing.isEmpty else { return }
    let what = missing.joined(separator: ", ")
    throw CaptureError(
      .failedPrecondition,
      "the profile '\(name)' has \(what), which \(camera) no longer has; save it anew",
      .init(.profileOutdated, field: "name", asked: .text(name)))
  }

  /// To settings that were read from controls, adds the profile's values that belong to no control.
  public func report(into settings: inout CameraSettings) {
    if let focus = software?.focus {
      settings.focus?.point = focus.point
      settings.focus?.range = focus.range
      if focus.isOn {
        settings.focus?.mode = .continuous
        settings.focus?.isSoftware = true
      }
    }
    if let exposure = software?.exposure {
      settings.exposure?.point = exposure.point
      if exposure.isOn {
        settings.exposure?.mode = .continuous
        settings.exposure?.isSoftware = true
        settings.exposure?.bias = exposure.bias
      }
    }
    if software?.whiteBalance == true {
      settings.whiteBalance?.mode = .continuous
      settings.whiteBalance?.isSoftware = true
    }
    if let torchLevel {
      settings.torch = CameraSettings.Light(mode: torchLevel > 0 ? .on : .off)
      settings.torch?.level = Observed(torchLevel, .reported)
    }
    if software?.torch == true {
      settings.torch?.mode = .auto
      settings.torch?.isSoftware = true
    }
    if let flash, settings.flash != nil || settings.torch != nil {
      settings.flash = CameraSettings.Light(mode: flash)
    }
    settings.frameDuration = frameDuration
  }
}
