import CaptureControls
import CaptureModel

/// The light of photos.
extension DeviceSettings {
  /// The photos for which the node fires the flash.
  var flashMode: LightMode { lights.flashMode }

  /// The lamp that is the camera's torch; `nil`: its driver has a torch, or there is no lamp.
  func torchLamp(beside known: KnownControls) -> Lamp? { lights.torchLamp(beside: known) }

  /// Tells that the torch was lit for a photo.
  func litForPhoto(_ light: PhotoLight) { lights.litForPhoto(light) }

  /// Waits until the light of a photo is out.
  func waitForLights() async {
    await context.gates.flash.enterToCleanUp()
    context.gates.flash.leave()
  }

  /// Switches off the light of a photo, and restores its former settings, even if the call is cancelled: nobody wants it to stay on. `strobe`: what
  /// was done with the driver's flash; `nil`: the torch was lit, unless somebody has switched it since.
  func endPhotoLight(_ strobe: PhotoLight?) async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard let light = strobe ?? lights.takePhotoLight() else { return }
    var before = SettingsTransaction.Before()
    before.photoLight = light
    await revert(to: before, readsAgain: false, on: context.camera.present)
  }
}
