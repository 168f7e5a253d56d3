import CaptureControls
import CaptureModel

extension PhysicsModel {
  /// Every control as it is now.
  var descriptions: [ControlDescription] {
    table.map { entry in
      var entry = entry
      entry.flags.formUnion(flags(entry.id))
      return entry
    }
  }

  /// Sets one value as V4L2 would. There are no buttons and texts here.
  mutating func set(_ assignment: ControlAssignment, at time: UInt64) throws(CaptureError) -> PhysicsEffect {
    guard let entry = descriptions.first(where: { $0.id == assignment.id }) else {
      throw unknown(assignment.id)
    }
    try entry.requireSettable()
    guard case .integer(let value) = try entry.checked(assignment.value) else {
      throw CaptureError(
        .invalidArgument, "\(entry.name) takes one number", .init(.valueNotPossible, field: entry.name))
    }
    return set(entry.id, value, at: time)
  }

  /// The changes that `assignments` caused since the model was `before`, besides the values that they set themselves.
  func changes(since before: PhysicsModel, by assignments: [ControlAssignment]) -> [ControlChange] {
    table.compactMap { entry in
      let (old, new) = (before.flags(entry.id), flags(entry.id))
      let (oldValue, newValue) = (before.settings[entry.id], settings[entry.id])
      let isCaused = oldValue != newValue && !assignments.contains { $0.id == entry.id }
      guard old != new || isCaused else { return nil }
      return ControlChange(id: entry.id, value: isCaused ? newValue.map { .integer($0) } : nil, flags: new)
    }
  }

  func unknown(_ id: ControlID) -> CaptureError {
    CaptureError(
      .invalidArgument, "the camera has no control \(id)", .init(.unknownName, asked: .text("\(id)")))
  }

  private func flags(_ id: ControlID) -> ControlFlags {
    if settings.isTakenOver(id) {
      return options.reportsAutomaticValues ? [.inactive, .volatile] : .inactive
    }
    // The bias is inactive without automatic exposure: there is nothing to bias.
    return id == .autoExposureBias && !settings.isAutomatic(.autoExposure) ? .inactive : []
  }
}
