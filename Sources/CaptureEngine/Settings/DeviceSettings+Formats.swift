import CaptureImaging
import CaptureModel

extension DeviceSettings {
  /// How long listing formats waits for the camera's controls. The zoom may be one of them, and its maximum is listed with each format.
  private static let patience = Duration.seconds(2)

  /// Pixel formats, each with what can be done with its frames. Where the controls cannot be read now, the zoom's maximum is unknown.
  public func formats() async throws(CaptureError)
    -> [(format: FormatDescription, abilities: FormatAbilities)]
  {
    let camera = try context.camera.required()
    let formats = try await context.camera.formats()
    if controls.known(of: camera) == nil {
      await context.tasks.wait(atMost: Self.patience) { _ = try? await $0.settings.known(of: camera) }
    }
    let known = controls.known(of: camera)
    return formats.map { ($0, abilities(with: $0.pixelFormat, known)) }
  }

  private func abilities(with format: PixelFormat, _ known: KnownControls?) -> FormatAbilities {
    let imaging = context.camera.imaging
    let isEncodable = imaging.isEncodable(format)
    var abilities = FormatAbilities(
      isAvailableAsJPEG: imaging.canDeliverJPEG(of: format),
      jpegConversion: imaging.jpegConversion(of: format), targets: isEncodable ? PixelTarget.allCases : [],
      isTurnable: imaging.isTurnable(format), isMeasurable: FrameMeter.canMeasure(format))
    guard let known else { return abilities }
    var description = known.description
    zoom.describe(into: &description, known)
    let maximum = description.zoom?.maximum ?? 1
    let isCut = zoom.kind(known) == .digital
    abilities.maximumZoom = isCut && !isEncodable ? 1 : maximum
    abilities.maximumRawZoom = isCut && !imaging.canCutAsItComes(format) ? 1 : maximum
    return abilities
  }
}
