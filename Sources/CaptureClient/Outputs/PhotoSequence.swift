public import CaptureModel
internal import CaptureTransport
internal import CaptureWire

/// The photos of one call, as they come. The node takes them whether they are read or not, and ends with `resourceExhausted` where too many wait.
/// Where the settings have several file types, each file of a photo is an element of its own.
///
/// A lost connection ends the sequence, unless the settings have a ``PhotoSettings/requestID``: then it goes on with the same photos. Cancelling the
/// reading task, or releasing the sequence, ends the call; the node then sets the camera back.
///
/// The sequence can have one reader. A second iterator makes the call once more: the node takes other photos, unless the settings have a
/// ``PhotoSettings/requestID``; then it delivers the same ones, if it still has them.
public struct PhotoSequence: AsyncSequence, Sendable {
  public typealias Element = CapturedPhoto
  public typealias Failure = CaptureError
  fileprivate let stages: PhotoStages
  fileprivate let progress: @Sendable (PhotoStage) -> Void

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(stages: stages.makeAsyncIterator(), progress: progress)
  }

  /// The reader.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var stages: PhotoStages.AsyncIterator
    fileprivate let progress: @Sendable (PhotoStage) -> Void

    public mutating func next() async throws(CaptureError) -> CapturedPhoto? {
      try await next(isolation: nil)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(CaptureError)
      -> CapturedPhoto?
    {
      while let stage = try await stages.next(isolation: actor) {
        if case .photo(let photo) = stage { return photo }
        progress(stage)
      }
      return nil
    }
  }
}

extension PhotoOutput {
  /// Takes a bracket: one photo for each step, each of a frame that has the step's settings
  /// (`capturePhoto(with: AVCapturePhotoBracketSettings)`).
  ///
  /// No mode is automatic from the first photo to the last, and the former settings are set back afterwards, also where the caller stops reading.
  /// While another client holds the camera's lease, a bracket is refused. Each photo says what became of its step (``CapturedPhoto/bracket``).
  /// Throws `invalidArgument` and `failedPrecondition` before the first photo for steps that the camera cannot do.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's configuration, or 30 s, one second for each photo and the time that the camera
  /// may settle, whichever is longer. `progress` is called at each stage.
  public func capturePhotos(
    bracket steps: [CaptureModel.BracketStep], _ settings: PhotoSettings = PhotoSettings(),
    timeout: Duration? = nil, progress: @escaping @Sendable (PhotoStage) -> Void = { _ in }
  ) -> PhotoSequence {
    var request = request(settings, isRepeated: false)
    request.settings?.bracket = steps.map { CaptureWire.BracketStep($0) }
    let refusal = refusal { () throws(CaptureError) in
      try settings.validate()
      guard steps.isEmpty else { return }
      throw CaptureError(
        .invalidArgument, "a bracket has at least one step",
        .init(.valueMissing, field: "settings.bracket"))
    }
    return photos(
      request, refusal: refusal, settings, count: steps.count, timeout: timeout, progress: progress)
  }

  /// Takes a burst: a photo of each of `count` frames, 1 to 10,000, at the camera's full rate. Each photo says how many frames are missing before it
  /// (``CapturedPhoto/place``).
  ///
  /// Photos that are not read wait on the node, as far as it has room. Beyond that the sequence throws `resourceExhausted` after the photos that
  /// there are; none is missing between them.
  ///
  /// `timeout` limits the whole call. `nil`: the timeout of the node's configuration, or 30 s, one second for each photo and the time that the camera
  /// may settle, whichever is longer.
  public func capturePhotos(
    burst count: Int, _ settings: PhotoSettings = PhotoSettings(), timeout: Duration? = nil,
    progress: @escaping @Sendable (PhotoStage) -> Void = { _ in }
  ) -> PhotoSequence {
    var request = request(settings, isRepeated: false)
    request.settings?.burst = UInt32(clamping: count)
    let refusal = refusal { () throws(CaptureError) in
      try settings.validate()
      try Self.validate(burst: count)
    }
    return photos(request, refusal: refusal, settings, count: count, timeout: timeout, progress: progress)
  }

  /// Throws `invalidArgument` for a burst of no photo. The node refuses a burst that is too long, and names the limit.
  static func validate(burst count: Int) throws(CaptureError) {
    guard count < 1 else { return }
    let most = NodeLimit.burstPhotos.usual
    throw CaptureError(
      .invalidArgument, "a burst of \(count) photos is not possible; it has 1 to \(most)",
      .init(
        .valueOutOfRange, field: "settings.burst", asked: .number(Double(count)),
        range: .init(1, Double(most))))
  }

  private func photos(
    _ message: CapturePhotoRequest, refusal: CaptureError?, _ settings: PhotoSettings, count: Int,
    timeout: Duration?,
    progress: @escaping @Sendable (PhotoStage) -> Void
  ) -> PhotoSequence {
    let usual = node.configuration.timeout.map {
      max($0, Self.usualTimeout + (settings.settling ?? .zero) + .seconds(count))
    }
    return PhotoSequence(
      stages: PhotoStages(
        message, of: reference, refusal: refusal, on: node.connection,
        files: count * settings.fileTypes.count, timeout: timeout ?? usual,
        metadata: node.callOptions.metadata),
      progress: progress)
  }
}
