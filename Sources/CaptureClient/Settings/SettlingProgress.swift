internal import CaptureModel

/// Follows in the camera's settings the modes that a change has started, until they have finished.
struct SettlingProgress {
  /// A part of the settings that has a mode of its own.
  enum Group: String, CaseIterable {
    case focus
    case exposure
    case whiteBalance = "white_balance"
  }
  enum State: Equatable {
    case adjusting
    /// No mode is adjusting any more, as far as the settings tell.
    case resting
    case failed(String)
    /// A mode is on that the change did not ask for.
    case replaced
  }
  /// A group, and the mode that was asked for; `nil`: whatever mode was on.
  struct Asked: Equatable {
    var group: Group
    var mode: String?
  }

  let asked: [Asked]
  var groups: [Group] { asked.map(\.group) }

  /// `nil`: a change that may have set any mode, as a profile does.
  init(of change: SettingsChange?) {
    asked = change?.askedModes ?? Group.allCases.map { Asked(group: $0, mode: nil) }
  }

  /// The state of the asked modes in these settings.
  func state(of settings: CameraSettings) -> State {
    var isAdjusting = false
    for asked in asked {
      guard let now = settings.progress(of: asked.group) else { continue }
      if let failure = now.failure { return .failed(failure) }
      // A mode that adjusts once becomes locked at its end.
      let isRight = now.mode == asked.mode || asked.mode == "auto" && now.mode == "locked"
      if asked.mode != nil, !isRight { return .replaced }
      if now.isUnfinished { isAdjusting = true }
    }
    return isAdjusting ? .adjusting : .resting
  }

  /// The groups whose modes are adjusting.
  func adjustingGroups(_ settings: CameraSettings) -> [Group] {
    groups.filter { settings.progress(of: $0)?.isUnfinished == true }
  }

  /// Whether a mode of the node is adjusting. Such a mode needs pictures, and without a stream the node has none.
  func needsStream(_ settings: CameraSettings) -> Bool {
    groups.contains { group in settings.progress(of: group).map { $0.isSoftware && $0.isUnfinished } ?? false
    }
  }

  /// Whether the camera's own mode follows the scene. Such a mode reports that it adjusts only after it has moved something.
  func reportsLate(_ settings: CameraSettings) -> Bool {
    groups.contains { group in
      settings.progress(of: group).map { $0.mode == "continuous" && !$0.isSoftware } ?? false
    }
  }
}

extension CameraSettings {
  fileprivate struct Progress {
    var mode: String
    var isAdjusting: Bool
    var isSoftware: Bool
    var failure: String?

    /// A mode that adjusts once is on until it has finished.
    var isUnfinished: Bool { isAdjusting || mode == "auto" }
  }

  /// `nil`: the camera does not have the group.
  fileprivate func progress(of group: SettlingProgress.Group) -> Progress? {
    switch group {
    case .focus: focus.map { Progress($0.mode.rawValue, $0.isAdjusting, $0.isSoftware, $0.failure) }
    case .exposure: exposure.map { Progress($0.mode.rawValue, $0.isAdjusting, $0.isSoftware, $0.failure) }
    case .whiteBalance:
      whiteBalance.map { Progress($0.mode.rawValue, $0.isAdjusting, $0.isSoftware, $0.failure) }
    }
  }
}

extension CameraSettings.Progress {
  fileprivate init(_ mode: String, _ isAdjusting: Bool, _ isSoftware: Bool, _ failure: String?) {
    self.init(mode: mode, isAdjusting: isAdjusting, isSoftware: isSoftware, failure: failure)
  }
}

extension SettingsChange {
  /// The groups that the change sets, each with the mode that it asks for.
  fileprivate var askedModes: [SettlingProgress.Asked] {
    var asked: [SettlingProgress.Asked] = []
    if focus != .init() {
      asked.append(
        .init(group: .focus, mode: (focus.mode ?? (focus.lensPosition == nil ? nil : .locked))?.rawValue))
    }
    if exposure != .init() {
      let isCustom = exposure.duration != nil || exposure.iso != nil || exposure.gain != nil
      asked.append(.init(group: .exposure, mode: (exposure.mode ?? (isCustom ? .custom : nil))?.rawValue))
    }
    if whiteBalance != .init() {
      let mode = whiteBalance.colour == .greyWorld ? .auto : whiteBalance.mode
      asked.append(
        .init(group: .whiteBalance, mode: (mode ?? (whiteBalance.colour == nil ? nil : .locked))?.rawValue))
    }
    return asked
  }
}
