public import CaptureModel
internal import CaptureTransport
internal import CaptureWire

/// The photos of one call, as they come. The node takes them whether they are read or not, and ends with `resourceExhausted` where too many wait.
///
/// A lost connection ends them. Cancelling the reading task, or releasing the sequence, ends the call; the node sets the camera back. It can have one reader.
public struct PhotoSequence: AsyncSequence, Sendable {
  public typealias Element = CapturedPhoto
  public typealias Failure = CaptureError
  fileprivate let open: @Sendable () async throws(RPCError) -> ResponseStream<PhotoEvent>
  fileprivate let progress: @Sendable (PhotoStage) -> Void
  /// How many were asked for.
  fileprivate let count: Int

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// The reader.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let sequence: PhotoSequence
    private var events: ResponseStream<PhotoEvent>.AsyncIterator?
    private var received = 0

    fileprivate init(_ sequence: PhotoSequence) { self.sequence = sequence }

    public mutating func next() async throws(CaptureError) -> CapturedPhoto? {
      try await next(isolation: nil)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(CaptureError)
      -> CapturedPhoto?
    {
      do throws(RPCError) {
        if events == nil { events = try await sequence.open().makeAsyncIterator() }
        while let event = try await events?.next(isolation: actor) {
          if let stage = event.progress { sequence.progress(stage) }
          guard event.stage == .photo, let photo = CapturedPhoto(event) else { continue }
          // A node that knows no brackets and bursts takes a single photo.
          guard photo.place != nil else { throw incomplete }
          received += 1
          return photo
        }
        if received != sequence.count { throw incomplete }
        return nil
      } catch {
        throw CaptureError(error)
      }
    }

    private var incomplete: RPCError {
      RPCError(
        .unimplemented,
        "the node gave \(received) of the \(sequence.count) photos that belong together; it may be older than brackets and bursts"
      )
    }
  }
}

extension PhotoOutput {
  /// Takes a bracket: one photo for each step, each of a frame that has the step's settings. `capturePhoto(with: AVCapturePhotoBracketSettings)`.
  ///
  /// Nothing is automatic from the first photo to the last, and what was set before is set back afterwards, also where the caller stops reading. The camera's
  /// lease is needed where another client holds one. Each photo says how it has its settings (``CapturedPhoto/bracket``).
  /// Throws `invalidArgument` and `failedPrecondition` before the first photo for steps that the camera cannot do.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's configuration, and at least 30 s and one more for each photo besides the time that
  /// the camera may settle. `progress` is called at each stage.
  public func capturePhotos(
    bracket steps: [CaptureModel.BracketStep], _ settings: PhotoSettings = PhotoSettings(),
    timeout: Duration? = nil, progress: @escaping @Sendable (PhotoStage) -> Void = { _ in }
  ) -> PhotoSequence {
    var request = request(settings, isRepeated: false)
    request.settings?.bracket = steps.map { CaptureWire.BracketStep($0) }
    return photos(request, settings, count: steps.count, timeout: timeout, progress: progress)
  }

  /// Takes a burst: a photo of each of so many frames, at the camera's full rate. Each says how many frames are missing before it (``CapturedPhoto/place``).
  ///
  /// Photos that are not read wait on the node, as far as it has room. Beyond that the sequence throws `resourceExhausted` behind those that there are: nothing is
  /// left out between them.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's configuration, and at least 30 s and one more for each photo besides the time that
  /// the camera may settle.
  public func capturePhotos(
    burst count: Int, _ settings: PhotoSettings = PhotoSettings(), timeout: Duration? = nil,
    progress: @escaping @Sendable (PhotoStage) -> Void = { _ in }
  ) -> PhotoSequence {
    var request = request(settings, isRepeated: false)
    request.settings?.burst = UInt32(clamping: max(count, 1))
    return photos(request, settings, count: max(count, 1), timeout: timeout, progress: progress)
  }

  private func photos(
    _ message: CapturePhotoRequest, _ settings: PhotoSettings, count: Int, timeout: Duration?,
    progress: @escaping @Sendable (PhotoStage) -> Void
  ) -> PhotoSequence {
    var options = node.callOptions
    options.timeout =
      timeout
      ?? node.configuration.timeout.map {
        max($0, Self.usualTimeout + (settings.settling ?? .zero) + .seconds(count))
      }
    return PhotoSequence(
      open: { [node, message, options] () async throws(RPCError) in
        try await PhotosClient(node.connection).capture(message, options: options)
      },
      progress: progress, count: count)
  }
}

extension PhotoEvent {
  /// `nil`: it is a photo, or something that only newer nodes tell.
  fileprivate var progress: PhotoStage? {
    switch stage {
    case .willBegin: resolved.map { .willBegin($0.model) }
    case .willCapture: .willCapture
    case .didCapture: .didCapture((info ?? CaptureWire.FrameInfo()).model)
    default: nil
    }
  }
}
