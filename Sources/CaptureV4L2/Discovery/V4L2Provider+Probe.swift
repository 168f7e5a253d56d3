import CVideo4Linux
import CaptureModel
import CaptureSystem

extension V4L2Provider {
  /// Opens a node to see what it is. `nil`, noted in `others`, `unselected` or `failures`, for what is no camera to report.
  func probe(_ node: VideoNode) -> (any Camera)? {
    let failure = DeviceFailure(path: node.path)
    do throws(CaptureError) {
      let device = try VideoDevice.open(node.path, system, failure)
      let capability = try failure.wrap("looking at it") { () throws(Errno) in try device.capability() }
      let id = CameraID(node, capability)
      let type: BufferType
      var reason: String?
      switch capability.role {
      case .other(let what):
        others[node] = what
        return nil
      case .camera(let found): type = found
      case .unusable(let found, let why): (type, reason) = (found, why)
      }
      guard isSelected(node.path, id) else {
        unselected[node] = id
        return nil
      }
      // Its last incarnation is being closed.
      guard cameras[id] == nil else { throw failure(.busy, "opening it again") }
      let description = CameraDescription(
        id: id, name: capability.card, model: node.usb.map { "\($0.vendor):\($0.product)" } ?? "",
        driver: capability.driver, bus: capability.busInfo, path: node.path, serial: node.usb?.serial ?? "",
        position: device.position, isMultiplanar: type == .multiPlanar, unusableReason: reason)
      let camera: any Camera
      if reason == nil {
        let usable = try V4L2Camera(description, device) { [weak self] in Task { await self?.closed(id) } }
        usable.open()
        camera = usable
      } else {
        camera = UnusableCamera(description)
      }
      cameras[id] = (camera, node)
      return camera
    } catch {
      failures[node] = error
      return nil
    }
  }

  func isSelected(_ path: String, _ id: CameraID) -> Bool {
    guard case .only(let specifications) = selection else { return true }
    var isSelected = false
    for specification in specifications where isMeant(specification, path, id) {
      if specification.hasPrefix("/") { boundPaths[specification] = id }
      isSelected = true
    }
    return isSelected
  }

  func isMeant(_ specification: String, _ path: String, _ id: CameraID) -> Bool {
    if let bound = boundPaths[specification] { return bound == id }
    return CameraSelection.matches(specification, path: path, id: id)
  }

  func absence(of specification: String) -> String {
    if let error = failures.first(where: { $0.key.path == specification })?.value { return error.message }
    if let what = others.first(where: { $0.key.path == specification })?.value {
      return "\(specification) is \(what)"
    }
    let present = (cameras.map { ($0.value.node, $0.key) } + unselected.map { ($0.key, $0.value) })
      .map { "\($0.path) (\($1))" }.sorted()
    return "no camera is '\(specification)' now; it is served when it appears; "
      + (present.isEmpty ? "there are none" : "there are: " + present.joined(separator: ", "))
  }
}

extension VideoDevice {
  /// Which way the camera looks. Corresponds to `V4L2_CID_CAMERA_ORIENTATION`.
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
