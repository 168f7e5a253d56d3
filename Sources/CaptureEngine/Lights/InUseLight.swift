import CaptureModel

/// A light that is on while a camera's stream runs, whoever takes its frames: clients, photos, timelapses, or the node itself.
final class InUseLight {
  private let light: any LightSource
  private let report: (String) -> Void
  /// Whether the latest attempt failed: a light that fails each time is reported once.
  private var isBroken = false

  /// `report`: gets the reason why the light could not be switched.
  init(_ light: any LightSource, isInUse: Bool, report: @escaping (String) -> Void) {
    (self.light, self.report) = (light, report)
    show(isInUse)
  }

  func show(_ isInUse: Bool) {
    do throws(CaptureError) {
      try light.set(isInUse ? 1 : 0)
      isBroken = false
    } catch {
      if !isBroken {
        report("the in-use light could not be switched \(isInUse ? "on" : "off"): \(error.message)")
      }
      isBroken = true
    }
  }
}
