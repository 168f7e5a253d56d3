import CaptureModel

/// Takes bursts: a photo of every frame.
extension Photos {
  /// Waits until the camera has settled, and takes a photo of each frame, from the first that was exposed after the request. `deliver` gets each
  /// photo as soon as it is made, and must not wait. If it throws, the burst ends. Throws `resourceExhausted` if too many photos are being taken, or
  /// if more frames wait than the node has room for. In the second case the error says how many photos there are so far.
  public func captureBurst(
    _ count: Int, _ request: PhotoRequest, of input: PhotoInput? = nil, on device: isolated Device,
    requested: UInt64, progress: @Sendable (PhotoProgress) -> Void,
    deliver: @Sendable (SequencePhoto) throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    try Self.requireBurst(request)
    try underWay.begin()
    defer { underWay.end() }
    try await withEnlargedStream(for: request, of: input, on: device) {
      request, stream throws(CaptureError) in
      try await takeBurst(count, request, from: stream, requested, progress: progress, deliver: deliver)
    }
  }

  /// Throws `invalidArgument` for a burst that no camera could take.
  static func requireBurst(_ request: PhotoRequest) throws(CaptureError) {
    try request.requireNoSwitch(for: "the burst", "settings.burst")
    try request.frame.requireNoFlash("the photos of a burst have no flash; take it without one")
  }

  private func takeBurst(
    _ count: Int, _ request: PhotoRequest, from stream: ActiveStream, _ requested: UInt64,
    progress: @Sendable (PhotoProgress) -> Void,
    deliver: @Sendable (SequencePhoto) throws(CaptureError) -> Void
  ) async throws(CaptureError) {
    try await inputs.requireSignal(for: request.frame)
    activity.begin()
    defer { activity.end() }
    try await announce(request, in: stream, progress: progress)
    let settling = try await settle(request.frame, stream)
    // Only as many frames are kept as become photos: more would take the room of other photos. Of JPEGs some more are kept, since damaged ones give
    // no photo.
    let spare = stream.format.pixelFormat.isJPEG ? Self.mostDamaged : 0
    let consumer = BurstConsumer(of: underWay, requested: requested, count: count + spare)
    try stream.hub.join(consumer)
    defer { stream.hub.leave(consumer) }
    defer { consumer.fail(.callCancelled) }
    progress(.willCapture)
    var request = request
    let name = SequenceMember.newName("burst")
    var (made, damaged, last, epoch) = (0, 0, UInt64?.none, UInt64?.none)
    while made < count {
      do throws(CaptureError) {
        let frame = try await awaitFrame("for a burst", of: stream.hub, orFail: consumer.fail) {
          () throws(CaptureError) in try await consumer.next()
        }
        let taken = frame.taken
        // An interruption ends the burst: nobody knows how many frames are missing.
        guard taken.moment.epoch == epoch ?? taken.moment.epoch else {
          throw CaptureError(
            .aborted,
            "the burst ended with \(made) of \(count) photos: the stream of \(context.camera.name) was interrupted "
              + "(\(taken.discontinuity?.reason ?? "frames were lost"))",
            .init(.streamEnded))
        }
        epoch = taken.moment.epoch
        let sequence = taken.frame.sequence
        let lost = last.map { sequence > $0 ? Int(sequence - $0) - 1 : 0 } ?? 0
        let member = SequenceMember(name, SequencePlace(made + 1, of: count, lost: lost))
        request.frame.sequence = member
        let photo = try await photo(
          of: frame, request, PhotoNotes(settling: settling), stream, progress: progress)
        try deliver(SequencePhoto(photo: photo, member: member))
        (made, damaged, last) = (made + 1, 0, sequence)
      } catch {
        let ending = "the burst ended with \(made) of \(count) photos"
        // A damaged frame gives no photo and counts as lost.
        if error.code == .dataLoss, stream.format.pixelFormat.isJPEG {
          damaged += 1
          guard damaged == Self.mostDamaged else {
            consumer.wantOneMore()
            continue
          }
          throw allDamaged(error, damaged, try photoPlan(request, stream)).prefixed(ending)
        }
        guard error.code == .resourceExhausted || error.details?.reason == .noSignal else { throw error }
        throw error.prefixed(ending)
      }
    }
  }
}
