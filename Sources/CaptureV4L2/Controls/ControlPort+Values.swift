import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

extension ControlPort {
  func values(of ids: [ControlID]) throws(CaptureError) -> [ControlValue] {
    var values: [ControlValue] = []
    for id in ids {
      try CaptureError.checkCancellation()
      values.append(try value(of: id))
    }
    return values
  }

  /// Sets the controls. If the call is cancelled while it waits for its turn on the control thread, or between two transfers, nothing stays set.
  /// Returns, for each value, the moment at which the driver got it. The error names the controls that could not be set back (`unrestored`).
  func set(_ assignments: [ControlAssignment], pacing: FramePacing?) throws(CaptureError) -> [ControlMoment] {
    var done: [(id: ControlID, previous: ControlValue?)] = []
    var moments: [ControlMoment] = []
    do throws(CaptureError) {
      for assignment in assignments {
        try CaptureError.checkCancellation()
        let previous = try? value(of: assignment.id)
        moments.append(try set(assignment, pacing))
        done.append((assignment.id, previous))
      }
    } catch {
      throw undo(done, after: error)
    }
    return moments
  }

  /// Sets back the controls that a call had set before it failed with `error`. Returns `error` with the controls that could not be set back.
  /// `previous` is `nil` for a value that cannot be read: the error's message names its control.
  private func undo(_ done: [(id: ControlID, previous: ControlValue?)], after error: CaptureError)
    -> CaptureError
  {
    var (unreadable, unrestored): ([ControlID], [ControlAssignment]) = ([], [])
    for (id, previous) in done.reversed() {
      // If the call set a control twice, its value before the first time counts.
      unrestored.removeAll { $0.id == id }
      guard let previous else {
        unreadable.append(id)
        continue
      }
      let value = ControlAssignment(id, previous)
      do throws(CaptureError) { _ = try set(value, nil) } catch { unrestored.insert(value, at: 0) }
    }
    // An unplugged camera keeps no values, so none has to be set back later.
    guard !error.isUnplugged else { return error }
    var error = error
    error.unrestored = unrestored
    // Buttons are not named: they have no value.
    guard !unreadable.isEmpty,
      let list = try? withDevice(
        "listing controls", { (device) throws(Errno) in try device.controlList().controls })
    else { return error }
    let names = list.filter { unreadable.contains($0.id) && $0.type != .button }.map { "'\($0.name)'" }
    guard !names.isEmpty else { return error }
    error.message +=
      "; \(names.joined(separator: ", ")) could not be set back: what was set there stays"
    return error
  }

  /// The pauses, in microseconds, between attempts while a camera says that it is not ready (UVC's error 1, `EBUSY`), for example because it still
  /// carries out the last command.
  static let pausesOfBusy: [UInt32] = [10_000, 20_000, 40_000, 80_000]

  private func value(of id: ControlID) throws(CaptureError) -> ControlValue {
    let answer = try ask(id) { (device, native) throws(Errno) in try ControlPayload(native).read(from: device)
    }
    switch answer {
    case .success(let value): return value
    case .failure(let refusal): throw refusal.failure(on: path).reading(refusal.error)
    }
  }

  private func set(_ assignment: ControlAssignment, _ pacing: FramePacing?) throws(CaptureError)
    -> ControlMoment
  {
    let answer = try ask(assignment.id) { (device, native) throws(Errno) -> ControlMoment in
      // The flags are checked first: they are the same with every driver, and the errors are not.
      let refused = UInt32(V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_DISABLED)
      if native.flags & refused != 0 { throw .accessDenied }
      // A control that the driver locks while it streams is not tried again: it does not become ready.
      var pauses = native.flags & UInt32(V4L2_CTRL_FLAG_GRABBED) == 0 ? Self.pausesOfBusy[...] : []
      while true {
        // This sleeps on the control thread, which waits for slow cameras anyway: a change of threads would make the moment less exact.
        if let wait = pacing?.wait(at: MonotonicClock.now()), wait > 0 { usleep(UInt32(wait / 1000)) }
        let began = MonotonicClock.now()
        do throws(Errno) {
          try ControlPayload(native).write(assignment.value, to: device)
          return ControlMoment(began: began, ended: MonotonicClock.now())
        } catch {
          guard error == .busy, let pause = pauses.popFirst() else { throw error }
          usleep(pause)
        }
      }
    }
    switch answer {
    case .success(let moment): return moment
    case .failure(let refusal): throw refusal.failure(on: path).setting(assignment.value, refusal.error)
    }
  }

  /// The error with which the driver refused to read or to set a control.
  private struct Refusal: Error {
    var error: Errno
    var control: ControlDescription

    func failure(on path: String) -> ControlFailure { ControlFailure(path: path, control: control) }
  }

  /// Runs `body` with the driver's description of a control. Returns its result, or the driver's refusal. Throws `notFound` where the driver has no
  /// such control, and another error where the device itself fails.
  private func ask<R>(
    _ id: ControlID, _ body: (borrowing VideoDevice, v4l2_query_ext_ctrl) throws(Errno) -> R
  ) throws(CaptureError) -> Result<R, Refusal> {
    let answer = try withDevice("asking for control \(id)") { (device) throws(Errno) -> Result<R, Refusal>? in
      guard let native = try device.control(id) else { return nil }
      do throws(Errno) {
        return .success(try body(device, native))
      } catch {
        if error == .noDevice { throw error }
        // The control alone is described: to list all of them takes dozens of calls, and a control may be refused at every reading.
        var control = ControlDescription(native, className: "")
        control.menu = (try? device.menu(of: control)) ?? []
        return .failure(Refusal(error: error, control: control))
      }
    }
    guard let answer else {
      throw CaptureError(
        .notFound, "\(path) has no control \(id)", .init(.unknownName, asked: .text("\(id)")))
    }
    return answer
  }
}
