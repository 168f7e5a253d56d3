import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc

extension ControlPort {
  /// Calls `observer` for every change of a control that is not made through this port, until this function is called again.
  func observe(_ observer: (@Sendable (ControlChange) -> Void)?) {
    self.observer = observer
    observedControls = []
    subscribe()
  }

  /// Subscribes to the events that somebody wants. No subscription is ended while anything is observed: when one ends, the kernel drops its events,
  /// and a change of the source is announced only once.
  func subscribe() {
    guard observer != nil || inputObserver != nil else { return endEvents() }
    try? withDevice("watching it") { (device) throws(Errno) in
      if observer != nil {
        let list = try device.controlList().controls
        observedControls = Set(list.map(\.id))
        for control in list where control.type != .controlClass {
          // If a control has no events, its changes are not reported, but everything else works.
          do throws(Errno) {
            try device.subscribe(to: control.id)
            hasEvents = true
          } catch {}
        }
      }
      if inputObserver != nil {
        // Not every driver has such events: without them ``lookAtInput(at:)`` measures the signal. Drivers that have them number them by input.
        for input in try device.inputList() {
          do throws(Errno) {
            try device.subscribeToSource(ofInput: UInt32(input.index))
            hasEvents = true
            inputsWithEvents.insert(input.index)
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
    (hasEvents, inputsWithEvents) = (false, [])
    thread.endWatch()
    try? withDevice("ending events") { (device) throws(Errno) in try device.unsubscribeAll() }
  }

  func eventsReady(_ found: Int16) {
    // After an error the watch pauses: some devices that do not stream show an error all the time, and an unplugged one shows it until it is closed.
    // The next check of the camera's presence finds out which it is, and ends the pause.
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
    // Several changes of the source are reported as one.
    if hasNewSource { tellInput(isOfSource: true) }
  }
}

extension v4l2_event {
  /// `CLOCK_MONOTONIC` nanoseconds.
  fileprivate var time: UInt64 {
    UInt64(clamping: timestamp.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: timestamp.tv_nsec)
  }
}
