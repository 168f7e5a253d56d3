import CaptureModel

/// The modes that clients asked the node for. Where a mode is `nil`, the node has none; `auto` becomes `locked` when it has ended.
package struct SoftwareModes: Hashable, Sendable {
  struct Focus: Hashable, Sendable {
    var mode: FocusMode?
    var point = NormalizedPoint.center
    var range = FocusRange.none
  }
  struct Exposure: Hashable, Sendable {
    var mode: ExposureMode?
    var point = NormalizedPoint.center
    /// EV.
    var bias = 0.0
  }
  var focus = Focus()
  var exposure = Exposure()
  var whiteBalance: WhiteBalanceMode?
  /// Whether the torch follows the light.
  package var torch = false

  /// Whether frames are needed.
  package var isOn: Bool {
    focus.mode?.isAutomatic == true || exposure.mode?.isAutomatic == true
      || whiteBalance?.isAutomatic == true || torch
  }

  /// Applies a request. Returns the request that undoes it.
  mutating func apply(_ request: SoftwareRequest) -> SoftwareRequest {
    let before = self
    var undo = SoftwareRequest()
    if let wanted = request.focus {
      focus.mode = wanted.releases ? nil : wanted.mode ?? focus.mode
      focus.point = wanted.point ?? focus.point
      focus.range = wanted.range ?? focus.range
      var task = SoftwareRequest.Focus()
      (task.point, task.range) = (before.focus.point, before.focus.range)
      if wanted.mode != nil || wanted.releases {
        (task.mode, task.releases) = (before.focus.mode, before.focus.mode == nil)
      }
      undo.focus = task
    }
    if let wanted = request.exposure {
      exposure.mode = wanted.releases ? nil : wanted.mode ?? exposure.mode
      exposure.point = wanted.point ?? exposure.point
      exposure.bias = wanted.bias ?? exposure.bias
      var task = SoftwareRequest.Exposure()
      (task.point, task.bias) = (before.exposure.point, before.exposure.bias)
      // The undo names a mode only if the request does: otherwise it would take the exposure from a search.
      if wanted.mode != nil || wanted.releases {
        (task.mode, task.releases) = (before.exposure.mode, before.exposure.mode == nil)
      }
      undo.exposure = task
    }
    if let wanted = request.whiteBalance {
      whiteBalance = wanted.releases ? nil : wanted.isGreyWorld ? .auto : wanted.mode ?? whiteBalance
      var task = before.whiteBalance == nil ? SoftwareRequest.WhiteBalance.release : .init()
      task.mode = before.whiteBalance
      undo.whiteBalance = task
    }
    if let wanted = request.torch {
      torch = wanted
      undo.torch = before.torch
    }
    return undo
  }

  /// Ends the node's mode in each group of which `own` has a mode of the camera's own, and takes over the points, the range and the bias in `own`.
  mutating func giveBack(_ own: SettingsChange) {
    if own.focus.mode != nil {
      focus = Focus(point: own.focus.point ?? focus.point, range: own.focus.range ?? focus.range)
    }
    if own.exposure.mode != nil {
      exposure = Exposure(
        point: own.exposure.point ?? exposure.point, bias: own.exposure.bias ?? exposure.bias)
    }
    if own.whiteBalance.mode != nil { whiteBalance = nil }
  }

  package var kept: SoftwareAbilities.Kept {
    var kept = SoftwareAbilities.Kept()
    (kept.focusPoint, kept.focusRange) = (focus.point, focus.range)
    (kept.exposurePoint, kept.bias) = (exposure.point, exposure.bias)
    kept.exposureMode = exposure.mode
    return kept
  }
}

extension FocusMode {
  package var isAutomatic: Bool { self != .locked }
}

extension ExposureMode {
  package var isAutomatic: Bool { self == .auto || self == .continuous }
}

extension WhiteBalanceMode {
  package var isAutomatic: Bool { self != .locked }
}
