import CaptureModel

/// A light that is on while a camera's stream runs, whoever takes its frames: clients, photos, timelapses, or the node itself.
final class InUseLight {
  private let light: any LightSource
  private let report: (String) -> Void
  /// Whether the latest attempt failed, so that one that fails each time is told once.
  private var isBroken = false

  /// `report` is told why the light does not show what it should.
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
        report("nothing shows that the camera \(isInUse ? "is" : "is no longer") in use: \(error.message)")
      }
      isBroken = true
    }
  }
}
