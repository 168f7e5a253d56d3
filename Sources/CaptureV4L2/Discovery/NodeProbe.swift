import CVideo4Linux
import CaptureLoop
import CaptureModel
import CaptureSystem
import Glibc

/// The result of opening a node.
enum NodeProbe: Sendable {
  /// The port is open; the caller has to close it.
  case camera(CameraDescription, ControlPort, CameraEnd)
  /// A camera that this backend cannot use; the description has the reason.
  case unusable(CameraDescription)
  /// Metadata, output, codecs and the like; the text says to a person what the node is.
  case other(String)
  case failed(CaptureError)

  /// Opens a node and asks its driver what it is, which may take any time. This runs on `thread`.
  init(_ node: VideoNode, _ system: VideoSystem, memory: BufferMemory, on thread: DeviceThread) {
    let failure = DeviceFailure(path: node.path)
    var node = node
    do throws(CaptureError) {
      try failure.wrap("reading its names") { () throws(Errno) in try node.usb?.readNames() }
      let device = try VideoDevice.open(node.path, system.called(on: thread), failure)
      let capability = try failure.wrap("looking at it") { () throws(Errno) in try device.capability() }
      let type: BufferType
      var reason: String?
      switch capability.role {
      case .other(let what):
        self = .other(what)
        return
      case .camera(let found): type = found
      case .unusable(let found, let why): (type, reason) = (found, why)
      }
      let description = CameraDescription(
        id: CameraID(node, capability), name: capability.card,
        model: node.usb.map { "\($0.vendor):\($0.product)" } ?? "", driver: capability.driver,
        bus: capability.busInfo, path: node.path, serial: node.usb?.serial ?? "",
        manufacturer: node.usb?.manufacturer ?? "", position: device.position,
        isMultiplanar: type == .multiPlanar, unusableReason: reason)
      guard reason == nil else {
        self = .unusable(description)
        return
      }
      let end = CameraEnd()
      let control = ControlPort(
        device, path: node.path, type: type, memory: memory, on: thread, end: end)
      self = .camera(description, control, end)
    } catch {
      self = .failed(error)
    }
  }
}

extension NodeProbe {
  /// Whether /dev does not have the node.
  var isAbsent: Bool {
    guard case .failed(let error) = self else { return false }
    return error.cause?.rawValue == ENOENT
  }
}

extension VideoDevice {
  /// The direction in which the camera looks. Corresponds to `V4L2_CID_CAMERA_ORIENTATION`.
  fileprivate var position: CameraDescription.Position {
    var control = v4l2_ext_control()
    control.id = UInt32(V4L2_CID_CAMERA_ORIENTATION)
    do throws(Errno) { try get(&control) } catch { return .unspecified }
    switch control.value {
    case V4L2_CAMERA_ORIENTATION_FRONT: return .front
    case V4L2_CAMERA_ORIENTATION_BACK: return .back
    case V4L2_CAMERA_ORIENTATION_EXTERNAL: return .external
    default: return .unspecified
    }
  }
}
