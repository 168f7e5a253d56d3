import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem

extension VideoDevice {
  /// Subscribes to changes of a control that are not made through this descriptor. Corresponds to `VIDIOC_SUBSCRIBE_EVENT`.
  func subscribe(to id: ControlID) throws(Errno) {
    var native = v4l2_event_subscription()
    native.type = UInt32(V4L2_EVENT_CTRL)
    native.id = id.rawValue
    try call(capture_VIDIOC_SUBSCRIBE_EVENT, &native)
  }

  /// Ends all subscriptions. Corresponds to `VIDIOC_UNSUBSCRIBE_EVENT`.
  func unsubscribeAll() throws(Errno) {
    var native = v4l2_event_subscription()
    native.type = UInt32(V4L2_EVENT_ALL)
    try call(capture_VIDIOC_UNSUBSCRIBE_EVENT, &native)
  }

  /// The next event; `nil` when there is none. Corresponds to `VIDIOC_DQEVENT`.
  func nextEvent() throws(Errno) -> v4l2_event? {
    var native = v4l2_event()
    do throws(Errno) {
      try call(capture_VIDIOC_DQEVENT, &native)
    } catch .noEntry {
      return nil
    } catch .again {
      return nil
    }
    return native
  }
}
