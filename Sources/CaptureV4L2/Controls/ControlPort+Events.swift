import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

extension ControlPort {
  /// Tells `observer` of every change that does not come through this port, until another call.
  func observe(_ observer: (@Sendable (ControlChange) -> Void)?) {
    self.observer = observer
    subscribe()
  }

  /// Asks for the events that somebody wants to hear of, and for no others.
  func subscribe() {
    endEvents()
    try? withDevice("watching it") { (device) throws(Errno) in
      if observer != nil {
        for control in try device.controlList() where control.type != .controlClass {
          // One that has no events is only not heard of.
          do throws(Errno) {
            try device.subscribe(to: control.id)
            hasEvents = true
          } catch {}
        }
      }
      if inputObserver != nil {
        // Not every driver has such events; those that have them number them by input.
        for input in try device.inputList() {
          do throws(Errno) {
            try device.subscribeToSource(ofInput: UInt32(input.index))
            hasEvents = true
          } catch {}
        }
      }
    }
    guard hasEvents else { return }
    try? withDevice("watching it") { (device) throws(Errno) in
      thread.watch(device.descriptor, Int16(POLLPRI)) { [weak self] found in
        self?.assumeIsolated { $0.eventsReady(found) }
      }
    }
  }

  func endEvents() {
    guard hasEvents else { return }
    hasEvents = false
    thread.endWatch()
    try? withDevice("ending events") { (device) throws(Errno) in try device.unsubscribeAll() }
  }

  private func eventsReady(_ found: Int16) {
    // Some devices that do not stream show an error all the time, and an unplugged one shows it to its end: the next look at the camera tells.
    if found & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { thread.pauseWatch(true) }
    var hasNewSource = false
    try? withDevice("taking events") { (device) throws(Errno) in
      while let event = try device.nextEvent() {
        if event.type == UInt32(V4L2_EVENT_SOURCE_CHANGE) { hasNewSource = true }
        guard event.type == UInt32(V4L2_EVENT_CTRL) else { continue }
        observer?(
          ControlChange(
            id: ControlID(rawValue: event.id), value: ControlValue(event.u.ctrl),
            flags: ControlFlags(rawValue: event.u.ctrl.flags), time: event.time))
      }
    }
    // A burst of them is one.
    if hasNewSource { tellInput(isOfSource: true) }
  }
}

extension v4l2_event {
  /// `CLOCK_MONOTONIC` nanoseconds.
  fileprivate var time: UInt64 {
    UInt64(clamping: timestamp.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: timestamp.tv_nsec)
  }
}
