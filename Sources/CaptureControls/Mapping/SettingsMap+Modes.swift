import CaptureModel

extension SettingsMap {
  /// The present numbers of controls.
  public typealias Numbers = ControlKeyed<Int64>

  /// The mode that the camera is in. `asked`: the mode that was asked for last; it decides between modes that look the same.
  func mode<Name>(_ modes: [ControlMapping.Mode<Name>], _ numbers: Numbers, asked: Name? = nil) -> Name? {
    func isFulfilled(_ mode: ControlMapping.Mode<Name>) -> Bool {
      mode.button == nil && mode.isFulfilled(by: numbers)
    }
    if let asked, modes.contains(where: { $0.mode == asked && isFulfilled($0) }) { return asked }
    // A camera whose controls fit no mode is partly automatic. It counts as being in the first mode, which for focus, exposure and white balance is
    // the automatic one.
    return (modes.first(where: isFulfilled) ?? modes.first)?.mode
  }

  func focusMode(_ numbers: Numbers) -> FocusMode? {
    isSearching(numbers) ? .auto : mode(focusModes, numbers)
  }

  /// Whether the driver focuses once (`V4L2_CID_AUTO_FOCUS_START`) and has not finished.
  public func isSearching(_ numbers: Numbers) -> Bool {
    isFocusing(numbers) && focusModes.contains { $0.button != nil }
      && mode(focusModes, numbers) != .continuous
  }

  /// The button that ends the driver's search; `nil`: there is no search, or nothing can end it.
  func searchStop(_ numbers: Numbers) -> ControlID? {
    guard controls[.autoFocusStop] != nil, mode(focusModes, numbers) != .continuous else { return nil }
    // A driver that does not report whether it searches may be searching, and so may one whose report cannot be read now.
    return isSearching(numbers) || numbers[.autoFocusStatus] == nil ? .autoFocusStop : nil
  }

  func exposureMode(_ numbers: Numbers, asked: ExposureMode?) -> ExposureMode? {
    mode(exposureModes, numbers, asked: asked)
  }

  func whiteBalanceMode(_ numbers: Numbers) -> WhiteBalanceMode? { mode(whiteBalanceModes, numbers) }

  /// Whether the camera is focusing now (`V4L2_AUTO_FOCUS_STATUS_BUSY`).
  func isFocusing(_ numbers: Numbers) -> Bool { (numbers[.autoFocusStatus] ?? 0) & 1 != 0 }
}
