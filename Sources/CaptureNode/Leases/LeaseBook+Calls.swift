import CaptureModel

extension LeaseBook {
  /// Enters a call that changes `camera`, one of the cameras of its claim. The call gets its answer at once, or when its turn has come; from then on
  /// it has the camera until ``leave(_:at:)``. The call is refused with `failedPrecondition` if a token is invalid, if its leases are of other
  /// cameras, or if another client has leased the camera; with `aborted` if the lease of a token was ended by force; with `resourceExhausted` if too
  /// many calls wait, or run under the lease.
  mutating func enter(
    _ claim: LeaseClaim, camera: CameraID, as ticket: Ticket, at now: UInt64
  ) -> [Answer] {
    var answers = expire(at: now)
    do throws(CaptureError) {
      try check(claim, at: now)
    } catch {
      return answers + [Answer(ticket: ticket, result: .failure(error))]
    }
    let call = Call(ticket: ticket, occupation: claim.occupation)
    guard queues[camera] != nil else {
      // This is the usual case: nobody uses the camera.
      queues[camera] = CameraQueue()
      run(call, at: camera)
      return answers + [Answer(ticket: ticket, result: .success(nil))]
    }
    let isFromHolder = queues[camera]!.lease.map { claim.tokens.contains($0.token) } == true
    if let refusal = isFromHolder ? tooManyCalls(at: camera) : tooManyWaiting(at: camera) {
      return answers + [Answer(ticket: ticket, result: .failure(refusal))]
    }
    if isFromHolder, queues[camera]!.occupations.isEmpty {
      run(call, at: camera)
      return answers + [Answer(ticket: ticket, result: .success(nil))]
    }
    queues[camera]!.line.append(.call(call))
    places[ticket] = camera
    answers += serve(camera, at: now)
    return answers
  }

  /// Ends a call that runs.
  mutating func leave(_ ticket: Ticket, at now: UInt64) -> [Answer] {
    let answers = expire(at: now)
    guard let camera = places[ticket], queues[camera]?.calls.remove(ticket) != nil else { return answers }
    places[ticket] = nil
    queues[camera]!.occupations[ticket] = nil
    return answers + serve(camera, at: now)
  }

  /// Removes a waiting call or request for a lease, which gets no answer.
  mutating func withdraw(_ ticket: Ticket, at now: UInt64) -> [Answer] {
    guard let camera = places[ticket], queues[camera]?.line.remove(ticket) == true else { return [] }
    places[ticket] = nil
    return serve(camera, at: now)
  }

  private mutating func run(_ call: Call, at camera: CameraID) {
    queues[camera]!.calls.insert(call.ticket)
    if let occupation = call.occupation { queues[camera]!.occupations[call.ticket] = occupation }
    places[call.ticket] = camera
  }

  /// Gives the camera to the next waiting call or request, and refuses calls and requests that cannot wait for it.
  mutating func serve(_ camera: CameraID, at now: UInt64) -> [Answer] {
    var answers: [Answer] = []
    // The queue is changed in place: the more callers wait, the longer a copy would take.
    while queues[camera]?.line.isEmpty == false {
      if let refusal = queues[camera]!.refusal(of: camera, at: now) {
        while let waiter = queues[camera]!.line.removeFirstCall()
          ?? queues[camera]!.line.removeOverdue(at: now)
        {
          places[waiter.ticket] = nil
          answers.append(Answer(ticket: waiter.ticket, result: .failure(refusal)))
        }
        return answers
      }
      guard queues[camera]!.calls.isEmpty, let waiter = queues[camera]!.line.removeFirst() else {
        return answers
      }
      switch waiter {
      case .call(let call):
        run(call, at: camera)
        answers.append(Answer(ticket: call.ticket, result: .success(nil)))
      case .request(let ticket, let request, let token, _):
        let lease = Lease(
          token: token, camera: camera, holder: request.holder, duration: request.duration,
          expiry: now &+ UInt64(request.duration / .nanoseconds(1)), connection: request.connection,
          owner: request.owner)
        places[ticket] = nil
        begin(lease)
        answers.append(Answer(ticket: ticket, result: .success(lease)))
      }
    }
    if queues[camera]?.isEmpty == true { queues[camera] = nil }
    return answers
  }

  // MARK: Refusals

  /// Throws `resourceExhausted` if as many calls and requests wait for a camera as may wait. Does not throw if the camera's lease or a waiting
  /// request has expired, since that may make room.
  func requireRoom(for camera: CameraID, at now: UInt64) throws(CaptureError) {
    let ends = [queues[camera]?.lease?.expiry, queues[camera]?.line.nextEnd]
    guard ends.allSatisfy({ $0.map { $0 > now } ?? true }) else { return }
    if let refusal = tooManyWaiting(at: camera) { throw refusal }
  }

  /// The error for another call or request, if too many wait already; `nil`: there is room.
  func tooManyWaiting(at camera: CameraID) -> CaptureError? {
    guard let count = queues[camera]?.line.count, count >= limits.waiters else { return nil }
    return CaptureError(
      .resourceExhausted,
      "\(count) calls wait for camera '\(camera)' or for a lease of it, and no more may (leaseWaiters; leases.waiters)",
      NodeLimit.leaseWaiters.details(bound: limits.waiters)
    )
  }

  /// The error for another call under the camera's lease, if too many run already; `nil`: there is room.
  private func tooManyCalls(at camera: CameraID) -> CaptureError? {
    guard let count = queues[camera]?.calls.count, count >= limits.waiters else { return nil }
    return CaptureError(
      .resourceExhausted,
      "\(count) calls under the lease of camera '\(camera)' run, and no more may (leaseWaiters; leases.waiters)",
      NodeLimit.leaseWaiters.details(bound: limits.waiters)
    )
  }

  private func check(_ claim: LeaseClaim, at now: UInt64) throws(CaptureError) {
    guard !claim.tokens.isEmpty else { return }
    var leased: [CameraID] = []
    for token in claim.tokens {
      guard let camera = camera(of: token, at: now) else {
        throw past.absence(of: token, at: now, .failedPrecondition)
      }
      leased.append(camera)
    }
    guard !leased.contains(where: claim.cameras.contains) else { return }
    let asked = claim.cameras.map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .failedPrecondition, "the lease is of camera '\(leased[0])', not of \(asked)",
      .init(.leaseMismatch, device: leased[0].rawValue))
  }
}

extension LeaseBook.CameraQueue {
  /// The error for calls and requests that cannot wait; `nil`: nothing blocks the camera for long.
  fileprivate func refusal(of camera: CameraID, at now: UInt64) -> CaptureError? {
    if let occupation = occupations.values.first {
      return CaptureError(
        .failedPrecondition,
        "camera '\(camera)' is \(occupation.what) for \(occupation.holder); wait for its end",
        .init(.occupied, holder: occupation.holder, device: camera.rawValue))
    }
    guard let lease else { return nil }
    return CaptureError(
      .failedPrecondition,
      "camera '\(camera)' is leased by \(lease.holder.abridged()) for another \(lease.remaining(at: now).shortText); "
        + "wait for it, or use its token",
      .init(
        .leaseHeld, holder: lease.holder, remaining: lease.remaining(at: now), device: camera.rawValue))
  }
}
