import CaptureModel

extension DeviceController {
  /// What works from pictures can do here.
  func abilities(_ known: KnownControls) -> SoftwareAbilities {
    guard let software = settingsState.software else { return SoftwareAbilities() }
    let zoom = ownZoomKind(known)
    let hasLamp = settingsState.lamp != nil && !known.hasTorch
    if let last = settingsState.abilities, last.identity === known.identity, last.zoom == zoom,
      last.hasLamp == hasLamp
    {
      var abilities = last.abilities
      abilities.kept = software.kept
      return abilities
    }
    var description = known.description
    if let lamp = lamp(known) { description.torch = lamp.description }
    if let zoom { description.zoom = .init(maximum: Self.ownZooms.maximum, kind: zoom) }
    let abilities = software.abilities(beside: description)
    settingsState.abilities = KnownAbilities(
      identity: known.identity, zoom: zoom, hasLamp: hasLamp, abilities: abilities)
    return abilities
  }

  /// What the software said that it can do, and of which camera: it is asked again when that is another.
  struct KnownAbilities {
    var identity: any AnyObject & Sendable
    var zoom: ZoomKind?
    var hasLamp: Bool
    var abilities: SoftwareAbilities
  }
}
