extension LeaseBook {
  /// A call that changes `camera`, one of its claim's. Its answer comes now or when its turn has come; then it holds the camera until
  /// ``leave(_:at:)``. Refused with `failedPrecondition`: a token that is not valid or of another camera, a camera that another has leased.
  public mutating func enter(
    _ claim: LeaseClaim, camera: CameraID, as ticket: Ticket, at now: UInt64
  ) -> [Answer] {
    var answers = expire(at: now)
    do throws(CaptureError) {
      try check(claim, at: now)
    } catch {
      return answers + [Answer(ticket: ticket, result: .failure(error))]
    }
    let call = Call(ticket: ticket, occupation: claim.occupation)
    guard let desk = desks[camera] else {
      // As a rule nobody is there.
      desks[camera] = Desk(calls: [call])
      return answers + [Answer(ticket: ticket, result: .success(nil))]
    }
    if let lease = desk.lease, claim.tokens.contains(lease.token), desk.occupation(of: camera) == nil {
      desks[camera]!.calls.append(call)
      return answers + [Answer(ticket: ticket, result: .success(nil))]
    }
    desks[camera]!.queue.append(.call(call))
    answers += serve(camera, at: now)
    return answers
  }

  /// The call is over.
  public mutating func leave(_ ticket: Ticket, at now: UInt64) -> [Answer] {
    let answers = expire(at: now)
    guard let place = desks.firstIndex(where: { $0.value.calls.contains { $0.ticket == ticket } }) else {
      return answers
    }
    desks.values[place].calls.removeAll { $0.ticket == ticket }
    if desks.values[place].isEmpty {
      desks.remove(at: place)
      return answers
    }
    return answers + serve(desks.keys[place], at: now)
  }

  /// A call or a wish that has no answer yet goes away, and gets none.
  public mutating func withdraw(_ ticket: Ticket, at now: UInt64) -> [Answer] {
    for (camera, desk) in desks where desk.queue.contains(where: { $0.ticket == ticket }) {
      desks[camera]!.queue.removeAll { $0.ticket == ticket }
      return serve(camera, at: now)
    }
    return []
  }

  /// Gives the camera to who is next, and refuses those who cannot wait for it.
  mutating func serve(_ camera: CameraID, at now: UInt64) -> [Answer] {
    guard var desk = desks[camera] else { return [] }
    defer { desks[camera] = desk.isEmpty ? nil : desk }
    var answers: [Answer] = []
    while !desk.queue.isEmpty {
      if let refusal = desk.refusal(of: camera, at: now) {
        desk.queue.removeAll { waiter in
          if case .wish(_, _, _, let until) = waiter, until > now { return false }
          answers.append(Answer(ticket: waiter.ticket, result: .failure(refusal)))
          return true
        }
        return answers
      }
      guard desk.calls.isEmpty else { return answers }
      switch desk.queue.removeFirst() {
      case .call(let call):
        desk.calls.append(call)
        answers.append(Answer(ticket: call.ticket, result: .success(nil)))
      case .wish(let ticket, let request, let token, _):
        let lease = Lease(
          token: token, camera: camera, holder: request.holder, duration: request.duration,
          expiry: now &+ UInt64(request.duration / .nanoseconds(1)))
        desk.lease = lease
        answers.append(Answer(ticket: ticket, result: .success(lease)))
      }
    }
    return answers
  }

  // MARK: Refusals

  private func check(_ claim: LeaseClaim, at now: UInt64) throws(CaptureError) {
    guard !claim.tokens.isEmpty else { return }
    var leased: [CameraID] = []
    for token in claim.tokens {
      guard let camera = camera(of: token, at: now) else {
        throw CaptureError(.failedPrecondition, absence(of: token, at: now))
      }
      leased.append(camera)
    }
    guard !leased.contains(where: claim.cameras.contains) else { return }
    let asked = claim.cameras.map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .failedPrecondition, "the lease is of camera '\(leased[0])', not of \(asked)")
  }

  /// Why a token is not valid.
  func absence(of token: LeaseToken, at now: UInt64) -> String {
    guard let lease = past.last(where: { $0.token == token }) else {
      return "no such lease: it was never given, or the node has started anew since; acquire one "
        + "('capturectl lock')"
    }
    let age = Duration.nanoseconds(now > lease.end ? now - lease.end : 0).leaseText
    return
      "the lease of camera '\(lease.camera)' \(lease.isReleased ? "was given back" : "expired") \(age) ago; "
      + "acquire a new one ('capturectl lock')"
  }
}

extension LeaseBook.Desk {
  /// What is going on that nobody can wait for.
  fileprivate func occupation(of camera: CameraID) -> CaptureError? {
    for call in calls {
      guard let occupation = call.occupation else { continue }
      return CaptureError(
        .failedPrecondition,
        "camera '\(camera)' is \(occupation.what) for \(occupation.holder); wait for its end")
    }
    return nil
  }

  /// What those get that cannot wait; `nil`: nothing is in their way for long.
  fileprivate func refusal(of camera: CameraID, at now: UInt64) -> CaptureError? {
    if let occupation = occupation(of: camera) { return occupation }
    guard let lease else { return nil }
    return CaptureError(
      .failedPrecondition,
      "camera '\(camera)' is leased by \(lease.holder) for another \(lease.remaining(at: now).leaseText); "
        + "wait for it, or use its token with --lease")
  }
}
