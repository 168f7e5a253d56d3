import CVideo4Linux
import CaptureModel
import CaptureSystem

extension ControlPort {
  /// Tells `observer` of every change that does not come through this port, until another call.
  func observe(_ observer: (@Sendable (ControlChange) -> Void)?) {
    endEvents()
    guard let observer else { return }
    self.observer = observer
    try? withDevice("watching controls") { (device) throws(Errno) in
      for control in try device.controlList() where control.type != .controlClass {
        try device.subscribe(to: control.id)
      }
      events = try EventWatch(device.descriptor, on: executor.queue) { [weak self] in
        self?.assumeIsolated { $0.eventsReady() }
      }
    }
  }

  func endEvents() {
    observer = nil
    guard let events else { return }
    events.cancel()
    self.events = nil
    try? withDevice("ending events") { (device) throws(Errno) in try device.unsubscribeAll() }
  }

  private func eventsReady() {
    try? withDevice("taking events") { (device) throws(Errno) in
      while let event = try device.nextEvent() {
        guard event.type == UInt32(V4L2_EVENT_CTRL) else { continue }
        observer?(
          ControlChange(
            id: ControlID(rawValue: event.id), value: ControlValue(event.u.ctrl),
            flags: ControlFlags(rawValue: event.u.ctrl.flags), time: event.time))
      }
    }
  }
}

extension v4l2_event {
  /// `CLOCK_MONOTONIC` nanoseconds.
  fileprivate var time: UInt64 {
    UInt64(clamping: timestamp.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: timestamp.tv_nsec)
  }
}
