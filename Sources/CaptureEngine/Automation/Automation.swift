import CaptureControls
import CaptureModel

/// Gives the device's other parts access to the software that works from the camera's pictures.
final class Automation {
  /// `nil`: the camera has only its driver's modes.
  private(set) var software: SoftwareThreeA?
  private var latest: KnownAbilities?

  /// The abilities that the software reported, and the facts of the camera from which it derived them. It is asked again when these change.
  private struct KnownAbilities {
    var identity: any AnyObject & Sendable
    var zoom: ZoomKind?
    var hasLamp: Bool
    var abilities: SoftwareAbilities
  }

  func attach(_ software: SoftwareThreeA?) { (self.software, latest) = (software, nil) }

  /// Whether one of the node's own modes is searching.
  var isSearching: Bool { software?.isSettled(nil) == false }

  /// The abilities that the software adds to a camera that has these controls, this zoom and these lights.
  func abilities(_ known: KnownControls, zoom: Zoom, lights: Lights) -> SoftwareAbilities {
    guard let software else { return SoftwareAbilities() }
    let (kind, lamp) = (zoom.kind(known), lights.torchLamp(beside: known))
    if let latest, latest.identity === known.identity, latest.zoom == kind, latest.hasLamp == (lamp != nil) {
      var abilities = latest.abilities
      abilities.kept = software.kept
      return abilities
    }
    var description = known.description
    if let lamp { description.torch = lamp.description }
    if let kind { description.zoom = .init(maximum: Zoom.factors.maximum, kind: kind) }
    let abilities = software.abilities(beside: description)
    latest = KnownAbilities(
      identity: known.identity, zoom: kind, hasLamp: lamp != nil, abilities: abilities)
    return abilities
  }

  func report(into settings: inout CameraSettings) { software?.report(into: &settings) }

  /// Begins or ends measuring how far the exposure is off.
  func measureOffset(_ isOn: Bool) { software?.measureOffset(isOn) }

  /// Begins, changes or ends modes. Returns the request that undoes that.
  func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest? {
    request.isEmpty ? nil : try await software?.set(request)
  }

  func revert(_ undo: SoftwareRequest?) async {
    if let undo { _ = try? await software?.set(undo) }
  }
}
