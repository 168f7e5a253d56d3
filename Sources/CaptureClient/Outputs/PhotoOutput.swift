public import CaptureModel
internal import CaptureTransport
internal import CaptureWire

/// Stills of a session's output, or of a camera alone (`AVCapturePhotoOutput`).
public struct PhotoOutput: Sendable {
  let node: RemoteNode
  let origin: PictureOrigin
  /// Whether the origin names its camera by the identity that the node has told.
  private let isIdentified: Bool

  /// The photo output of any origin. ``Camera/photoOutput`` and ``Session/photoOutput`` are the usual ones. This makes no call.
  public init(_ origin: PictureOrigin, of node: RemoteNode) {
    self.init(origin, of: node, isIdentified: false)
  }

  init(_ origin: PictureOrigin, of node: RemoteNode, isIdentified: Bool) {
    (self.origin, self.node, self.isIdentified) = (origin, node, isIdentified)
  }

  /// The camera, as the stages of a photo name it.
  var reference: CameraReference { origin.reference(isIdentified: isIdentified) }

  /// Takes a photo. The sequence has the stages of the photo as they happen, and at the end a file for each of the settings' types.
  /// `capturePhoto(with:delegate:)`, and the calls of its delegate.
  ///
  /// The photo is asked for when the sequence is first read. After a lost connection the sequence goes on with the same photo, if the node's
  /// configuration says that connections are made again; a node that has started anew takes another one, of the same camera. `timeout` limits the whole
  /// call. `nil`: the timeout of the node's configuration, or 30 s and the time that the camera may settle, whichever is longer; the time until the
  /// moment of the photo is added.
  public func stages(of settings: PhotoSettings, timeout: Duration? = nil) -> PhotoStages {
    let usual = node.configuration.timeout.map {
      max($0, Self.usualTimeout + (settings.settling ?? .zero)) + settings.timeAhead
    }
    return PhotoStages(
      request(settings), of: reference,
      refusal: refusal { () throws(CaptureError) in try settings.validate() }, on: node.connection,
      files: settings.fileTypes.count, timeout: timeout ?? usual, metadata: node.callOptions.metadata)
  }

  /// Takes a photo: a frame whose exposure began after the node got the request. Of several files it returns the first.
  ///
  /// `timeout` limits the whole call, as that of ``stages(of:timeout:)``. `progress` is called at each stage, on the caller's actor.
  public nonisolated(nonsending) func capturePhoto(
    _ settings: PhotoSettings = PhotoSettings(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(CaptureError) -> CapturedPhoto {
    try await capturePhotoFiles(settings, timeout: timeout, progress: progress)[0]
  }

  /// Takes a photo in each of the settings' file types, all of one frame, in their order. Otherwise it is like
  /// ``capturePhoto(_:timeout:progress:)``.
  public nonisolated(nonsending) func capturePhotoFiles(
    _ settings: PhotoSettings = PhotoSettings(), timeout: Duration? = nil,
    progress: (PhotoStage) -> Void = { _ in }
  ) async throws(CaptureError) -> [CapturedPhoto] {
    var photos: [CapturedPhoto] = []
    var iterator = stages(of: settings, timeout: timeout).makeAsyncIterator()
    while let stage = try await iterator.next(isolation: nil) {
      progress(stage)
      if case .photo(let photo) = stage { photos.append(photo) }
    }
    return photos
  }

  /// Returns how a photo would be made, or throws why it could not be: no photo is taken, and no camera started. With a `bracket` or a `burst` the
  /// result describes each of its photos; a bracket is judged from the camera's present settings.
  public nonisolated(nonsending) func resolve(
    _ settings: PhotoSettings, bracket: [CaptureModel.BracketStep] = [], burst: Int? = nil
  ) async throws(CaptureError) -> ResolvedPhoto {
    try settings.validate()
    if let burst { try Self.validate(burst: burst) }
    var message = request(settings, isRepeated: false)
    message.dryRun = true
    message.settings?.bracket = bracket.map { CaptureWire.BracketStep($0) }
    message.settings?.burst = UInt32(clamping: burst ?? 0)
    do throws(RPCError) {
      let events = try await PhotosClient(node.connection).capture(
        message, options: CallOptions(timeout: node.configuration.timeout))
      var iterator = events.makeAsyncIterator()
      var resolved: ResolvedPhoto?
      while let event = try await iterator.next(isolation: nil) {
        resolved = event.resolved?.model ?? resolved
      }
      guard let resolved else { throw RPCError(.dataLoss, "the node did not describe the photo") }
      return resolved
    } catch {
      throw CaptureError(error)
    }
  }

  /// `isRepeated`: the request gets an id, so that a retry after a lost connection asks for the same photo. Without a reconnect policy there are no
  /// retries, and it gets none.
  func request(_ settings: PhotoSettings, isRepeated: Bool = true) -> CapturePhotoRequest {
    var photo = settings.message
    if isRepeated, photo.requestID.isEmpty, node.connection.policy != nil {
      photo.requestID = PhotoSettings.newRequestID()
    }
    var message = CapturePhotoRequest(device: origin.camera, settings: photo)
    (message.session, message.output) = (origin.session, origin.output)
    return message
  }

  static let usualTimeout = Duration.seconds(30)
}
