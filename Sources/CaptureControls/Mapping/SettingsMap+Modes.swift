import CaptureModel

extension SettingsMap {
  /// Numbers of controls now.
  public typealias Numbers = ControlKeyed<Int64>

  /// The mode that a camera is in. `asked`: which of those that cannot be told apart was asked for last.
  func mode<Name>(_ modes: [ControlMapping.Mode<Name>], _ numbers: Numbers, asked: Name? = nil) -> Name? {
    func isMet(_ mode: ControlMapping.Mode<Name>) -> Bool { mode.button == nil && mode.isMet(by: numbers) }
    if let asked, modes.contains(where: { $0.mode == asked && isMet($0) }) { return asked }
    // A camera that is in none of them is partly automatic.
    return (modes.first(where: isMet) ?? modes.first)?.mode
  }

  func focusMode(_ numbers: Numbers) -> FocusMode? {
    isSearching(numbers) ? .auto : mode(focusModes, numbers)
  }

  /// The driver focuses once (`V4L2_CID_AUTO_FOCUS_START`), and is not done.
  public func isSearching(_ numbers: Numbers) -> Bool {
    isFocusing(numbers) && focusModes.contains { $0.button != nil }
      && mode(focusModes, numbers) != .continuous
  }

  /// What ends the driver's search; `nil`: there is none, or nothing can.
  func searchStop(_ numbers: Numbers) -> ControlID? {
    guard controls[.autoFocusStop] != nil, mode(focusModes, numbers) != .continuous else { return nil }
    // A driver that does not say whether it searches may.
    return isSearching(numbers) || controls[.autoFocusStatus] == nil ? .autoFocusStop : nil
  }

  func exposureMode(_ numbers: Numbers, asked: ExposureMode?) -> ExposureMode? {
    mode(exposureModes, numbers, asked: asked)
  }

  func whiteBalanceMode(_ numbers: Numbers) -> WhiteBalanceMode? { mode(whiteBalanceModes, numbers) }

  /// The camera is focusing now (`V4L2_AUTO_FOCUS_STATUS_BUSY`).
  func isFocusing(_ numbers: Numbers) -> Bool { (numbers[.autoFocusStatus] ?? 0) & 1 != 0 }
}
