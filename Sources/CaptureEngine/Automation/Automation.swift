import CaptureControls
import CaptureModel

/// What works from the camera's pictures, for the other parts of the device.
final class Automation {
  /// `nil`: the camera has its driver's modes alone.
  private(set) var software: (any SoftwareControl)?
  private var latest: KnownAbilities?

  /// What the software said that it can do, and of which camera: it is asked again when that is another.
  private struct KnownAbilities {
    var identity: any AnyObject & Sendable
    var zoom: ZoomKind?
    var hasLamp: Bool
    var abilities: SoftwareAbilities
  }

  func attach(_ software: (any SoftwareControl)?) { (self.software, latest) = (software, nil) }

  /// One of the node's own modes looks for something.
  var isSearching: Bool { software?.isSettled(nil) == false }

  /// What it can do beside a camera with that zoom and lamp of the node's.
  func abilities(_ known: KnownControls, zoom: Zoom, lights: Lights) -> SoftwareAbilities {
    guard let software else { return SoftwareAbilities() }
    let (kind, lamp) = (zoom.kind(known), lights.lamp(known))
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

  /// How far the exposure is off is measured, or no more.
  func meter(_ isWatched: Bool) { software?.meter(isWatched) }

  /// Begins, changes or ends modes; returns what undoes that.
  func set(_ request: SoftwareRequest) async throws(CaptureError) -> SoftwareRequest? {
    request.isEmpty ? nil : try await software?.set(request)
  }

  func revert(_ undo: SoftwareRequest?) async {
    if let undo { _ = try? await software?.set(undo) }
  }
}
