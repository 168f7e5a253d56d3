import CaptureControls
import CaptureModel

extension Session {
  /// Sends frames of a video output to `sink` until ``unsubscribe(_:)`` or the subscription's end. While the session does not run, the subscription
  /// waits. `output`: the output's name; empty: the only one. `holder` names the subscriber in messages, and `client` in access control. `scope`: the
  /// cameras that the subscriber may see. The subscription ends when its output gets a camera outside of the scope.
  ///
  /// Throws `invalidArgument` for a request that no camera could serve, and for an empty `output` if there are several; `notFound` for an unknown
  /// output; `failedPrecondition` for more than the output's format gives, and for an output without a camera. If the session is closed, throws the
  /// reason for that.
  public func subscribe(
    _ request: VideoRequest, output: String, sink: any FrameSink, holder: String, client: String? = nil,
    among scope: CameraScope = .every
  ) throws(CaptureError) -> SessionSubscription {
    try request.validate()
    try requireOpen()
    let output = try find(output, .video)
    guard let input = input(of: output), let connection = configuration.connection(to: output) else {
      throw noInput(output)
    }
    _ = try FramePlan(
      try request.through(connection),
      in: input.stream?.running
        ?? RunningStream(expected: input.wanted, of: input.device, for: input.reservation))
    let subscription = SessionSubscription(
      output: output, request: request, sink: sink, holder: holder, client: client, scope: scope)
    members.append(SessionMember(subscription))
    connectMember(members.count - 1, discontinuity: nil)
    return subscription
  }

  /// Removes a subscriber.
  public func unsubscribe(_ subscription: SessionSubscription) {
    subscription.account.end(nil)
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return }
    members[index].leave()
    members.remove(at: index)
  }

  /// The camera of a photo output, as the output's connection shows it. `output`: the output's name; empty: the only one.
  ///
  /// Throws `invalidArgument` for an empty `output` if there are several, `notFound` for an unknown one, and `failedPrecondition` for one without a
  /// camera or with a connection that is disabled.
  public func photoInput(output: String) throws(CaptureError) -> PhotoInput {
    try requireOpen()
    let output = try find(output, .photo)
    guard let input = input(of: output), let connection = configuration.connection(to: output) else {
      throw noInput(output)
    }
    guard connection.isEnabled else { throw disabled(output) }
    return PhotoInput(
      device: input.device, reservation: input.reservation, transform: try connection.transform)
  }

  // MARK: Outputs

  private func find(_ output: String, _ kind: SessionConfiguration.Output.Kind) throws(CaptureError)
    -> String
  {
    let possible = configuration.outputs.filter { $0.kind == kind }.map(\.name)
    if possible.contains(output) { return output }
    if output.isEmpty, possible.count == 1 { return possible[0] }
    let names = possible.isEmpty ? "none" : possible.map { "'\($0)'" }.joined(separator: ", ")
    let list = "its \(kind.rawValue) outputs: \(names)"
    if output.isEmpty, !possible.isEmpty {
      throw CaptureError(
        .invalidArgument, "the session '\(name)' has several outputs; name one of \(list)",
        .init(.ambiguousName, field: "output", possible: possible))
    }
    throw CaptureError(
      .notFound,
      output.isEmpty
        ? "the session '\(name)' has no \(kind.rawValue) output"
        : "the session '\(name)' has no such output \(output.quoted); \(list)",
      .init(.unknownName, field: "output", asked: .text(output), possible: possible))
  }

  /// The camera to which an output is connected.
  private func input(of output: String) -> Input? {
    let camera = configuration.connection(to: output)?.camera
    return inputs.first { $0.asked.camera == camera }
  }

  private func noInput(_ output: String) -> CaptureError {
    CaptureError(
      .failedPrecondition, "the output '\(output)' of '\(name)' is connected to no camera",
      .init(.outputDisconnected, field: "output", asked: .text(output)))
  }

  private func disabled(_ output: String) -> CaptureError {
    CaptureError(
      .failedPrecondition, "the connection to the output '\(output)' of '\(name)' is disabled",
      .init(.outputDisconnected, field: "output", asked: .text(output)))
  }

  // MARK: Members' streams

  /// Gives a member the frames of its output's camera, or tells the member why there are none. `discontinuity`: the discontinuity of the member's
  /// first frame; `nil`: the member is new, or the stream itself announces the change.
  func connectMember(_ index: Int, discontinuity: StreamDiscontinuity?) {
    let output = members[index].subscription.output
    guard let connection = configuration.connection(to: output), let input = input(of: output) else { return }
    // A subscriber does not learn of a camera that it may not see, so the text is the one for a session that was closed.
    guard members[index].subscription.scope.contains(input.device.id) else {
      members[index].leave()
      return members[index].subscription.account.end(
        CaptureError(.unavailable, "the session '\(name)' was closed", .init(.sessionClosed)))
    }
    members[index].subscription.connected(to: input.device.id)
    if !connection.isEnabled {
      members[index].leave()
      return members[index].announce(disabled(output).message)
    }
    if let stream = input.stream {
      return members[index].join(in: stream, through: connection, discontinuity: discontinuity)
    }
    members[index].leave()
    members[index].announce(
      isRunning
        ? input.interruption?.text ?? "'\(input.device.id)' is being started"
        : "the session '\(name)' does not run; frames come when it is started",
      isUnplugged: isRunning && input.interruption?.kind == .cameraUnplugged)
  }

  /// Gives frames to the members whose output is connected to an input.
  func connectMembers(of input: Int, discontinuity: StreamDiscontinuity?) {
    // All members leave before the first one joins: a picture that a member is still to give up would count toward the limit for the members before
    // it.
    disconnectMembers(of: inputs[input])
    for index in memberIndices(of: inputs[input]) { connectMember(index, discontinuity: discontinuity) }
  }

  func memberIndices(of input: Input) -> [Int] {
    members.indices.filter {
      configuration.connection(to: members[$0].subscription.output)?.camera == input.asked.camera
    }
  }

  /// Gives the input's members no more frames.
  func disconnectMembers(of input: Input) {
    for index in memberIndices(of: input) { members[index].leave() }
  }

  /// After a change, moves the members whose camera, format or connection has changed.
  func moveMembers(from old: SessionConfiguration, _ oldInputs: [Input]) {
    var moved: [(index: Int, discontinuity: StreamDiscontinuity)] = []
    for index in members.indices {
      let output = members[index].subscription.output
      switch configuration.outputs.first(where: { $0.name == output })?.kind {
      case .video: break
      case .photo, nil:
        members[index].leave()
        members[index].subscription.account.end(
          CaptureError(
            .failedPrecondition, "the output '\(output)' was taken out of the session '\(name)'",
            .init(.outputDisconnected, field: "output", asked: .text(output))))
        continue
      }
      let (before, now) = (old.connection(to: output), configuration.connection(to: output))
      let oldInput = oldInputs.first { $0.asked.camera == before?.camera }
      let newInput = input(of: output)
      if before == now, oldInput?.device === newInput?.device,
        members[index].video === newInput?.stream?.video
      {
        continue
      }
      members[index].leave()
      moved.append((index, StreamDiscontinuity(.reconfigured, reason: reason(oldInput, newInput))))
    }
    // All of them have left before the first one joins again, as in `connectMembers`.
    for (index, discontinuity) in moved { connectMember(index, discontinuity: discontinuity) }
    // The calls of members that are over know the reason already.
    members.removeAll(where: \.isOver)
  }

  private func reason(_ old: Input?, _ new: Input?) -> String {
    guard let new else { return "the session '\(name)' was changed" }
    guard old?.device === new.device else {
      let from = old.map { " instead of '\($0.device.id)'" } ?? ""
      return "the session '\(name)' has the camera '\(new.device.id)' now\(from)"
    }
    if let format = new.stream?.format, format != old?.stream?.format {
      let rate = format.interval.map { " at \($0)" } ?? ""
      return "'\(new.device.id)' streams \(format.size) \(format.pixelFormat)\(rate) now"
    }
    return "a connection of the session '\(name)' was changed"
  }
}
