/// The modes that the node adds to a camera by working from its pictures.
public struct SoftwareAbilities: Hashable, Sendable {
  /// The modes of the focus that the node adds.
  public var focusModes: [FocusMode] = []
  /// Whether the node can focus on a point.
  public var hasFocusPoint = false
  /// The parts of the lens's way to which the node can restrict the focus.
  public var focusRanges: [FocusRange] = []
  /// The modes of the exposure that the node adds.
  public var exposureModes: [ExposureMode] = []
  /// Whether the node can expose for a point.
  public var hasExposurePoint = false
  /// The biases of the exposure that the node can set, in EV; `nil`: none.
  public var bias: SettingsDescription.ValueRange?
  /// The modes of the white balance that the node adds.
  public var whiteBalanceModes: [WhiteBalanceMode] = []
  /// Whether the node can find gains that make the mean of the picture grey.
  public var hasGreyWorld = false
  /// The modes of the torch that the node adds.
  public var torchModes: [LightMode] = []
  /// The values that clients asked for before, which the node keeps.
  public var kept = Kept()

  public init() {}

  /// Values that stay from one call to the next.
  public struct Kept: Hashable, Sendable {
    /// Where the node focuses.
    public var focusPoint = NormalizedPoint.center
    /// The part of the lens's way to which the node restricts the focus.
    public var focusRange = FocusRange.none
    /// For which place the node exposes.
    public var exposurePoint = NormalizedPoint.center
    /// EV.
    public var bias = 0.0
    /// The mode in which the node exposes; `nil`: the driver or a person does.
    public var exposureMode: ExposureMode?

    public init() {}
  }
}

/// What the node shall do from pictures. A part that is `nil` stays as it is.
public struct SoftwareRequest: Hashable, Sendable {
  public var focus: Focus?
  public var exposure: Exposure?
  public var whiteBalance: WhiteBalance?
  /// `true`: the torch follows the light; `false`: it no longer does.
  public var torch: Bool?

  public init() {}

  /// `mode`: the mode to begin. `releases`: the node's mode ends, since the driver or a person takes over. With neither, only the other values
  /// change.
  public struct Focus: Hashable, Sendable {
    public var mode: FocusMode?
    public var releases = false
    /// Whether the camera's own automatic mode is on until the node's mode begins. It is switched on again if the node's mode finds nothing.
    public var endsCameraMode = false
    public var point: NormalizedPoint?
    public var range: FocusRange?
    /// In a request that undoes another one: the values that the camera gets back from a search that has found nothing, or will find nothing.
    public var owed: SettingsChange.Focus?
    public init() {}
    public static var release: Focus {
      var focus = Focus()
      focus.releases = true
      return focus
    }
  }

  public struct Exposure: Hashable, Sendable {
    public var mode: ExposureMode?
    public var releases = false
    /// Whether the camera's own automatic mode is on until the node's mode begins. It is switched on again if the node's mode finds nothing.
    public var endsCameraMode = false
    public var point: NormalizedPoint?
    /// EV.
    public var bias: Double?
    /// In a request that undoes another one: the exposure that the camera gets back from a search that has borrowed it, has found nothing, or will
    /// find nothing.
    public var owed: SettingsChange.Exposure?
    /// In a request that takes the exposure from a search: the values that the camera still gets back later, since the driver has refused them so
    /// far.
    public var stillOwed: SettingsChange.Exposure?
    public init() {}
    public static var release: Exposure {
      var exposure = Exposure()
      exposure.releases = true
      return exposure
    }
  }

  public struct WhiteBalance: Hashable, Sendable {
    public var mode: WhiteBalanceMode?
    public var releases = false
    /// Whether the camera's own automatic mode is on until the node's mode begins. It is switched on again if the node's mode finds nothing.
    public var endsCameraMode = false
    /// Makes the mean of the picture grey, once.
    public var isGreyWorld = false
    /// In a request that undoes another one: the values that the camera gets back from a search that has found nothing, or will find nothing.
    public var owed: SettingsChange.WhiteBalance?
    public init() {}
    public static var release: WhiteBalance {
      var balance = WhiteBalance()
      balance.releases = true
      return balance
    }
  }

  public var isEmpty: Bool { self == SoftwareRequest() }

  /// Whether the camera gets values back with this request.
  package var owesValues: Bool {
    focus?.owed != nil || exposure?.owed != nil || whiteBalance?.owed != nil
  }

  /// Ends all of the node's modes.
  public static var release: SoftwareRequest {
    var request = SoftwareRequest()
    (request.focus, request.exposure, request.whiteBalance) = (.release, .release, .release)
    request.torch = false
    return request
  }
}

extension SettingsDescription {
  /// Adds the node's modes to those of the driver.
  public mutating func add(_ software: SoftwareAbilities) {
    if var focus {
      focus.softwareModes = software.focusModes.filter { !focus.modes.contains($0) }
      focus.modes = FocusMode.allCases.filter { (focus.modes + focus.softwareModes).contains($0) }
      focus.hasPointOfInterest = focus.hasPointOfInterest || software.hasFocusPoint
      focus.ranges = FocusRange.allCases.filter { (focus.ranges + software.focusRanges).contains($0) }
      self.focus = focus
    }
    if var exposure {
      exposure.softwareModes = software.exposureModes.filter { !exposure.modes.contains($0) }
      exposure.modes = ExposureMode.allCases.filter {
        (exposure.modes + exposure.softwareModes).contains($0)
      }
      exposure.hasPointOfInterest = exposure.hasPointOfInterest || software.hasExposurePoint
      exposure.bias = exposure.bias ?? software.bias
      self.exposure = exposure
    }
    if var balance = whiteBalance {
      balance.softwareModes = software.whiteBalanceModes.filter { !balance.modes.contains($0) }
      balance.modes = WhiteBalanceMode.allCases.filter {
        (balance.modes + balance.softwareModes).contains($0)
      }
      balance.hasGreyWorld = software.hasGreyWorld
      whiteBalance = balance
    }
    torch?.softwareModes = software.torchModes
    torch?.modes += software.torchModes
  }
}
