public import CaptureModel
internal import CaptureSystem
internal import CaptureTransport
internal import CaptureWire

/// The stages of a photo, while it is taken. Cancelling the reading task, or releasing the sequence, ends the call.
///
/// The sequence can have one reader. A second iterator makes the call once more: the node takes another photo, unless the settings have a
/// ``PhotoSettings/requestID`` or the connection is one that is made again when it is lost; then it delivers the same one, if it still has it.
public struct PhotoStages: AsyncSequence, Sendable {
  public typealias Element = PhotoStage
  public typealias Failure = CaptureError
  private let request: CapturePhotoRequest
  private let camera: CameraReference
  /// Why the request is not made; `nil`: it is.
  private let refusal: CaptureError?
  private let connection: any NodeConnection
  private let files: Int
  private let timeout: Duration?
  private let metadata: [CallMetadata]

  init(
    _ request: CapturePhotoRequest, of camera: CameraReference, refusal: CaptureError?,
    on connection: any NodeConnection, files: Int, timeout: Duration?, metadata: [CallMetadata]
  ) {
    (self.camera, self.refusal) = (camera, refusal)
    (self.request, self.connection, self.files, self.timeout) = (request, connection, files, timeout)
    self.metadata = metadata
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      request, of: camera, refusal: refusal, connection, files: files, timeout: timeout, metadata: metadata)
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let request: CapturePhotoRequest
    private let camera: CameraReference
    private let refusal: CaptureError?
    private let deadline: ContinuousClock.Instant?
    private let metadata: [CallMetadata]
    private let recovery = RecoveryWait()
    private var call: ResumableCall
    private var events: ResponseStream<PhotoEvent>.AsyncIterator?
    /// `received`: how many events the present call has brought. `delivered`: how many the reader has got from all calls. A call that is made again
    /// repeats the events from the first one on.
    private var (received, delivered) = (0, 0)
    /// The files that are still to come.
    private var missing: Int
    /// `firstFrame`: the frame of the first file. `isChecked`: whether the present call's frame was compared with it.
    private var (firstFrame, isChecked) = (CaptureModel.FrameInfo?.none, false)

    fileprivate init(
      _ request: CapturePhotoRequest, of camera: CameraReference, refusal: CaptureError?,
      _ connection: any NodeConnection, files: Int, timeout: Duration?, metadata: [CallMetadata]
    ) {
      (self.camera, self.refusal) = (camera, refusal)
      (self.request, self.metadata, missing) = (request, metadata, files)
      deadline = timeout.map { .now + $0 }
      call = ResumableCall(connection, recovery: recovery)
    }

    public mutating func next() async throws(CaptureError) -> PhotoStage? { try await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(CaptureError)
      -> PhotoStage?
    {
      if let refusal { throw refusal }
      // Without a `catch` here the error would be caught off the caller's actor (docs/adr/0041-cameras-are-called-where-the-device-is.md).
      do throws(RPCError) {
        if events == nil { events = try await call.open(opening).makeAsyncIterator() }
        while true {
          do throws(RPCError) {
            guard let event = try await events!.next(isolation: actor) else { return try endOfStages() }
            if isRepeatable { try await call.identify(camera, timeout: deadline?.remaining) }
            received += 1
            try requireSame(event)
            guard received > delivered else { continue }
            delivered = received
            guard let stage = event.model else { continue }
            if case .photo = stage { missing -= 1 }
            return stage
          } catch {
            guard isRepeatable else { throw error }
            events = try await reopen(after: error).makeAsyncIterator()
            (received, isChecked) = (0, false)
          }
        }
      } catch {
        throw CaptureError(error)
      }
    }

    /// Whether the call may be made again: by the request's id the node gives the same photo.
    private var isRepeatable: Bool { !request.settings!.requestID.isEmpty }

    /// Opens the call again, until the photo's deadline at most.
    private nonisolated(nonsending) mutating func reopen(
      after failure: RPCError
    ) async throws(RPCError) -> ResponseStream<PhotoEvent> {
      guard let deadline else { return try await call.reopen(after: failure, opening) }
      let timer = Task { [recovery] in
        do { try await Task.sleep(until: deadline, clock: .continuous) } catch { return }
        recovery.end()
      }
      defer { timer.cancel() }
      do throws(RPCError) { return try await call.reopen(after: failure, opening) } catch {
        guard ContinuousClock.now >= deadline else { throw error }
        throw RPCError(
          .deadlineExceeded,
          "the connection was lost during the photo, and not made again in time: \(failure.text)")
      }
    }

    /// Makes the call on a connection.
    private var opening: @Sendable (any NodeConnection) async throws(RPCError) -> ResponseStream<PhotoEvent> {
      { [request, camera, deadline, metadata] connection async throws(RPCError) in
        try await camera.requireListed(on: connection, timeout: deadline?.remaining)
        var request = request
        request.device = camera.name
        return try await PhotosClient(connection).capture(
          request, options: CallOptions(timeout: deadline?.remaining, metadata: metadata))
      }
    }

    /// Ends the stages. Throws where files are missing.
    private func endOfStages() throws(RPCError) -> PhotoStage? {
      guard missing > 0 else { return nil }
      throw RPCError(
        .dataLoss,
        firstFrame == nil
          ? "the node ended the call without a photo"
          : "the node ended the call, and \(missing) files are missing; it may be too old for several"
      )
    }

    /// Throws if the node had forgotten the photo and has taken another.
    private mutating func requireSame(_ event: PhotoEvent) throws(RPCError) {
      guard event.stage == .photo, !isChecked, let info = event.info?.model else { return }
      isChecked = true
      guard let firstFrame, firstFrame.timestamp != info.timestamp else {
        firstFrame = info
        return
      }
      throw RPCError(
        .aborted,
        "the connection was lost between the files of the photo, and the node no longer has it; take it again"
      )
    }
  }
}

extension ContinuousClock.Instant {
  /// How long it is until then: for a time limit, which is above zero.
  fileprivate var remaining: Duration { max(self - .now, .milliseconds(1)) }
}
