import CaptureModel

/// What a node's configuration says of a camera.
public struct CameraSetup: Sendable {
  /// The lamp that serves as its torch, where its driver has none.
  package var torchLight: (any LightSource)?
  /// The light that is on while its stream runs.
  package var inUseLight: (any LightSource)?
  /// The direction in which it looks, in place of what its driver reports.
  public var position: CameraDescription.Position?
  /// The ISO of its least and of its largest gain, where its driver has no ISO.
  public var gainISO: ClosedRange<Double>?
  /// The EDID of its inputs, in blocks of 128 bytes.
  public var edid: [UInt8]?
  /// What the metadata of its photos says of the node, and of the camera's lens and sensor.
  public var photos = PhotoOrigin()

  public init() {}

  func apply(to device: isolated Device) {
    device.settings.installLamp(torchLight)
    device.settings.setGainISO(gainISO)
    device.inputs.setEDID(edid)
    device.photos.setOrigin(photos)
    guard let inUseLight else { return }
    device.context.stream.setInUseLight(inUseLight) { [tasks = device.context.tasks] text in
      tasks.enqueue { $0.context.camera.note(.controlNotRestored, text) }
    }
  }
}
