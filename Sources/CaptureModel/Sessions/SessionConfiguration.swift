/// The complete configuration of a session: the cameras, the outputs, and the connections between them. `AVCaptureSession` between `beginConfiguration`
/// and `commitConfiguration`.
public struct SessionConfiguration: Hashable, Sendable, Codable {
  /// A camera (`AVCaptureDeviceInput`).
  public struct Input: Hashable, Sendable, Codable {
    /// An identity, a unique part of one, or an index. The engine replaces it by the identity.
    public var camera: String
    /// The format that replaces the preset; `nil`: the preset decides (`AVCaptureDevice.activeFormat`).
    public var format: ActiveFormat?
    /// What it gives (`AVCaptureInput.Port.mediaType`): pictures.
    public var media: MediaType { .video }

    public init(camera: String, format: ActiveFormat? = nil) {
      self.camera = camera
      self.format = format
    }
  }

  /// An output, at which clients get pictures.
  public struct Output: Hashable, Sendable, Codable {
    /// What comes at an output.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
      /// Live frames (`AVCaptureVideoDataOutput`).
      case video
      /// Stills (`AVCapturePhotoOutput`).
      case photo

      /// What comes there (`AVCaptureInput.Port.mediaType`): pictures.
      public var media: MediaType {
        switch self {
        case .video, .photo: .video
        }
      }

      /// Whether pictures in the camera's own format may be turned and cropped there. At a photo output they may not: JPEG and PNG are turned and
      /// cropped, but those are encoded; `raw` keeps the camera's bytes as they are, and a DNG the sensor's samples.
      var takesRawPictures: Bool {
        switch self {
        case .video: true
        case .photo: false
        }
      }
    }
    /// 1 to 64 characters, unique in the session.
    public var name: String
    /// What comes at the output.
    public var kind: Kind

    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// The cameras, which run together.
  public var inputs: [Input]
  /// The outputs, at which clients get pictures.
  public var outputs: [Output]
  /// An output without a connection is connected to the first input.
  public var connections: [SessionConnection]
  /// The format of inputs that name none (`AVCaptureSession.sessionPreset`).
  public var preset: SessionPreset

  public init(
    inputs: [Input] = [], outputs: [Output] = [], connections: [SessionConnection] = [],
    preset: SessionPreset = .high
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.connections = connections
    self.preset = preset
  }
}

/// A format that replaces a preset. The node chooses each part that is `nil`.
public struct ActiveFormat: Hashable, Sendable {
  /// V4L2's four-character code.
  public var pixelFormat: PixelFormat?
  /// A size that the pixel format has: ``FormatDescription/sizes``.
  public var size: FrameSize?
  /// The time between frames: `activeVideoMinFrameDuration`.
  public var interval: FrameInterval?

  public init(pixelFormat: PixelFormat? = nil, size: FrameSize? = nil, interval: FrameInterval? = nil) {
    self.pixelFormat = pixelFormat
    self.size = size
    self.interval = interval
  }
}
