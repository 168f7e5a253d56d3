import CVideo4Linux
import CaptureModel
import CaptureSystem

extension VideoDevice {
  /// Every control of the driver, in the driver's order, including arrays, compounds and classes. A control that the driver fails to describe is left
  /// out: uvcvideo asks the camera for each control's range, which some cameras refuse for some controls. Throws if the camera is gone or does
  /// not answer, and if the driver describes none of its controls.
  func controlList() throws(Errno) -> ControlList {
    var list = ControlList()
    var last: UInt32 = 0
    while let id = try addControl(after: last, to: &list) { last = id }
    try list.requireControls()
    return list
  }

  /// Adds the control after `last`. Returns its id, which is larger; `nil`: the list ends here.
  private func addControl(after last: UInt32, to list: inout ControlList) throws(Errno) -> UInt32? {
    let next: v4l2_query_ext_ctrl?
    do throws(Errno) { next = try controlOnSecondTry(after: last) } catch {
      return try addControl(after: last, whichFailed: error, to: &list)
    }
    // The list ends where an id does not rise: a driver that breaks this rule would be read for ever.
    guard let next, next.id > last else { return nil }
    try add(next, to: &list)
    return next.id
  }

  /// The control after `last`, also where the driver fails to describe it once. Throws if the camera is gone or does not answer, and if the driver fails
  /// twice.
  private func controlOnSecondTry(after last: UInt32) throws(Errno) -> v4l2_query_ext_ctrl? {
    do throws(Errno) { return try control(after: last) } catch {
      if error.isOfCamera { throw error }
      return try control(after: last)
    }
  }

  /// Adds the next control where the driver failed to describe the one after `last`. The driver does not say which one that is, so the numbers that
  /// controls may have are asked for singly, until one is found that fails or is described. Returns its id: the driver's own list goes on after it.
  private func addControl(
    after last: UInt32, whichFailed failure: Errno, to list: inout ControlList
  ) throws(Errno) -> UInt32? {
    let unknown = "the control after \(ControlID(rawValue: last))"
    if failure.isOfCamera { throw failure }
    for number in Self.controlNumbers(after: last) {
      let id = ControlID(rawValue: number)
      let found: v4l2_query_ext_ctrl?
      do throws(Errno) { found = try control(id) } catch {
        try list.addFailure(error, of: "control \(id)")
        return number
      }
      guard let found else { continue }
      // What fails has a number that is none of these.
      try list.addFailure(failure, of: unknown)
      try add(found, to: &list)
      return number
    }
    try list.addFailure(failure, of: unknown)
    return nil
  }

  private func add(_ native: v4l2_query_ext_ctrl, to list: inout ControlList) throws(Errno) {
    let isClass = native.type == V4L2_CTRL_TYPE_CTRL_CLASS.rawValue
    var control = ControlDescription(native, className: isClass ? text(native.name) : list.className)
    do throws(Errno) { control.menu = try menu(of: control) } catch {
      return try list.addFailure(error, of: "the menu of control \(control.id)")
    }
    list.add(control)
  }

  /// The numbers after `last` that controls may have, in rising order: in each class that cameras have, the class itself, what V4L2 defines, and what it
  /// leaves to drivers, as far as drivers usually go. Drivers answer for a number that they do not have without asking the camera. uvcvideo, which asks
  /// it for the others, has controls of the first two classes; settings use those of all of them.
  private static func controlNumbers(after last: UInt32) -> some Sequence<UInt32> {
    let classes = [
      V4L2_CTRL_CLASS_USER, V4L2_CTRL_CLASS_CAMERA, V4L2_CTRL_CLASS_FLASH, V4L2_CTRL_CLASS_IMAGE_SOURCE,
      V4L2_CTRL_CLASS_IMAGE_PROC,
    ].map { UInt32($0) }
    let places: [Range<UInt32>] = [0x0001..<0x0002, 0x0900..<0x0980, 0x1000..<0x1080, 0x1900..<0x1c00]
    return classes.lazy.flatMap { (number: UInt32) in
      places.lazy.flatMap { (places: Range<UInt32>) in places.lazy.map { number | $0 } }
    }.filter { $0 > last }
  }
}
