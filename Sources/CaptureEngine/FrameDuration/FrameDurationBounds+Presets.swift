import CaptureControls
import CaptureModel

extension FrameDurationBounds {
  /// The stream that the camera would deliver for a preset; `format`, if given, takes the preset's place.
  func resolve(_ preset: SessionPreset, _ format: ActiveFormat?)
    async throws(CaptureError) -> StreamRequest
  {
    let presets = try await presetChoice()
    let wanted = try presets.wanted(preset, format)
    var request = try await choose(wanted.request, for: wanted.purpose)
    guard let format else { return request }
    try presets.check(request, against: format)
    request.requiresInterval = format.interval != nil
    return request
  }

  /// Every preset, with the stream that the camera would deliver, or why it has none. Throws `unavailable` where the camera is not there.
  package func presets() async throws(CaptureError)
    -> [(preset: SessionPreset, stream: Result<StreamRequest, CaptureError>)]
  {
    let camera = try context.camera.required()
    var found: [(preset: SessionPreset, stream: Result<StreamRequest, CaptureError>)] = []
    for preset in SessionPreset.allCases {
      do throws(CaptureError) {
        found.append((preset, .success(try await resolve(preset, nil))))
      } catch {
        // What failed because the camera has gone meanwhile says nothing of the preset.
        try context.camera.require(camera)
        found.append((preset, .failure(error)))
      }
    }
    return found
  }

  func presetChoice() async throws(CaptureError) -> PresetChoice {
    PresetChoice(
      camera: context.camera.name, formats: try await context.camera.formats(),
      isEncodable: context.camera.imaging.isEncodable)
  }
}

extension PresetChoice {
  /// The request for a preset; `format`, if given, takes the preset's place.
  func wanted(_ preset: SessionPreset, _ format: ActiveFormat?) throws(CaptureError) -> Wanted {
    if let format { try wanted(format) } else { try wanted(preset) }
  }
}
