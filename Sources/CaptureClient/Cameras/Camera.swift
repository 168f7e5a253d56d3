public import CaptureModel

/// A camera of a node (`AVCaptureDevice`).
///
/// A value that names a camera. Making one makes no call, and the value stays valid when the camera is unplugged and comes back. Calls to a camera
/// that the node does not know throw `notFound`, which lists the cameras.
public struct Camera: Sendable {
  /// The node that has the camera.
  public let node: RemoteNode
  /// The camera's identity, a part of one that is unique on the node, or its index.
  public let name: String
  /// The node's facts about the camera, from its list of cameras; `nil` for a camera that was only named.
  public let info: CameraInfo?

  init(_ name: String, of node: RemoteNode, _ info: CameraInfo? = nil) {
    (self.node, self.name, self.info) = (node, name, info)
  }

  /// The same camera, reached through `node`, whose calls may send other lease tokens.
  func through(_ node: RemoteNode) -> Camera { Camera(name, of: node, info) }
}

extension Camera: Hashable {
  /// Whether both name the same camera of one connection in the same way.
  public static func == (a: Camera, b: Camera) -> Bool {
    a.name == b.name && (a.node.connection as AnyObject) === (b.node.connection as AnyObject)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A node's facts about a camera.
public struct CameraInfo: Hashable, Sendable {
  /// The camera's place in the node's list. It stays while the node runs, also when the camera is unplugged and comes back.
  public var index: Int
  /// What the camera is: its name, identity, driver and position.
  public var description: CameraDescription
  /// `false`: the camera is unplugged.
  public var isPresent: Bool
  /// How its driver answers.
  public var response: Responsiveness
  /// Whether a photo is being taken with it, by whomever (`AVCapturePhotoOutput.isCapturing`).
  public var isCapturingPhoto = false

  /// The camera's identity (`AVCaptureDevice.uniqueID`).
  public var id: CameraID { description.id }

  public init(
    index: Int, description: CameraDescription, isPresent: Bool, response: Responsiveness = .responding
  ) {
    (self.index, self.description, self.isPresent, self.response) = (index, description, isPresent, response)
  }
}
