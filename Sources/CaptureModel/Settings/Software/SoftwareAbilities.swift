/// What the node adds to a camera's modes by working from its pictures.
public struct SoftwareAbilities: Hashable, Sendable {
  public var focusModes: [FocusMode] = []
  public var hasFocusPoint = false
  public var focusRanges: [FocusRange] = []
  public var exposureModes: [ExposureMode] = []
  public var hasExposurePoint = false
  /// EV; `nil`: none.
  public var bias: SettingsDescription.ValueRange?
  public var whiteBalanceModes: [WhiteBalanceMode] = []
  public var hasGreyWorld = false
  /// The torch's, where it can be switched.
  public var torchModes: [LightMode] = []
  /// What it was asked for before, and keeps to.
  public var kept = Kept()

  public init() {}

  /// What stays from one call to the next.
  public struct Kept: Hashable, Sendable {
    public var focusPoint = NormalizedPoint.center
    public var focusRange = FocusRange.none
    public var exposurePoint = NormalizedPoint.center
    /// EV.
    public var bias = 0.0
    /// It exposes now.
    public var isExposing = false

    public init() {}
  }
}

/// What the node is to do from pictures; a part that is `nil` stays as it is.
public struct SoftwareRequest: Hashable, Sendable {
  public var focus: Focus?
  public var exposure: Exposure?
  public var whiteBalance: WhiteBalance?
  /// The torch follows the light; `false`: no more.
  public var torch: Bool?

  public init() {}

  /// `mode` says what to begin; ``release`` lets go: the driver or a person has it; neither: only the rest changes.
  public struct Focus: Hashable, Sendable {
    public var mode: FocusMode?
    public var releases = false
    public var point: NormalizedPoint?
    public var range: FocusRange?
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
    public var point: NormalizedPoint?
    /// EV.
    public var bias: Double?
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
    /// Make the mean of the picture grey, once.
    public var isGreyWorld = false
    public init() {}
    public static var release: WhiteBalance {
      var balance = WhiteBalance()
      balance.releases = true
      return balance
    }
  }

  public var isEmpty: Bool { self == SoftwareRequest() }

  /// Lets go of everything.
  public static var release: SoftwareRequest {
    var request = SoftwareRequest()
    (request.focus, request.exposure, request.whiteBalance) = (.release, .release, .release)
    request.torch = false
    return request
  }
}

extension SettingsDescription {
  /// With what the node adds to the driver's modes.
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
