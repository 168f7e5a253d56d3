import CVideo4Linux
import CaptureModel
import CaptureSystem

extension ControlPort {
  func values(of ids: [ControlID]) throws(CaptureError) -> [ControlValue] {
    var values: [ControlValue] = []
    for id in ids {
      try CaptureError.checkCancellation()
      values.append(try value(of: id))
    }
    return values
  }

  /// A call that was cancelled while it waited for its turn on the queue, or between two transfers, leaves nothing set.
  func set(_ assignments: [ControlAssignment]) throws(CaptureError) {
    var undo: [ControlAssignment] = []
    do throws(CaptureError) {
      for assignment in assignments {
        try CaptureError.checkCancellation()
        let previous = try? value(of: assignment.id)
        try set(assignment)
        if let previous { undo.append(ControlAssignment(assignment.id, previous)) }
      }
    } catch {
      for assignment in undo.reversed() { try? set(assignment) }
      throw error
    }
  }

  private func value(of id: ControlID) throws(CaptureError) -> ControlValue {
    let answer = try ask(id) { (device, native) throws(Errno) in try ControlPayload(native).read(from: device)
    }
    switch answer {
    case .success(let value): return value
    case .failure(let error): throw try failure(id).reading(error)
    }
  }

  private func set(_ assignment: ControlAssignment) throws(CaptureError) {
    let answer = try ask(assignment.id) { (device, native) throws(Errno) in
      // Drivers differ in what they say to these; the flags are the same everywhere.
      let refused = UInt32(V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_DISABLED)
      if native.flags & refused != 0 { throw .accessDenied }
      try ControlPayload(native).write(assignment.value, to: device)
    }
    if case .failure(let error) = answer { throw try failure(assignment.id).setting(assignment.value, error) }
  }

  /// Runs `body` with what the driver says about a control. A result is the driver's answer, an error the device's.
  private func ask<R>(
    _ id: ControlID, _ body: (borrowing VideoDevice, v4l2_query_ext_ctrl) throws(Errno) -> R
  ) throws(CaptureError) -> Result<R, Errno> {
    let answer = try withDevice("asking for control \(id)") { (device) throws(Errno) -> Result<R, Errno>? in
      guard let native = try device.control(id) else { return nil }
      do throws(Errno) {
        return .success(try body(device, native))
      } catch {
        if error == .noDevice { throw error }
        return .failure(error)
      }
    }
    guard let answer else { throw CaptureError(.notFound, "\(path) has no control \(id)") }
    return answer
  }

  private func failure(_ id: ControlID) throws(CaptureError) -> ControlFailure {
    guard let control = try controls().first(where: { $0.id == id }) else {
      throw CaptureError(.notFound, "\(path) has no control \(id)")
    }
    return ControlFailure(path: path, control: control)
  }
}
