import CaptureModel
import CaptureSystem
import CaptureWire

extension ServerConnection {
  func performActions() {
    var index = 0
    // An action may add further ones.
    while index < pump.state.actions.count {
      let action = pump.state.actions[index]
      index += 1
      switch action {
      case .start(let call):
        start(call)
      case .message(let id, let message):
        guard let handler = running[id], !handler.isStopped else { continue }
        handler.inbox.append(message)
        if !handler.readers.isEmpty { wakeReaders(handler) }
      case .endOfMessages(let id):
        guard let handler = running[id] else { continue }
        handler.isInboxClosed = true
        if !handler.readers.isEmpty { wakeReaders(handler) }
      case .stop(let id):
        if let handler = running[id] { stop(handler) }
      case .credit(let id):
        if let handler = running[id] { resume(handler) }
      }
    }
    pump.state.actions.removeAll(keepingCapacity: true)
  }

  private func start(_ call: ServerConnectionState.Start) {
    let service = services[call.place]
    let context = CallContext(
      method: call.method, peer: peer, connectionID: id, caller: pump.state.caller ?? .unknown,
      callGuard: accessGuard, deadline: call.deadline,
      metadata: service.metadata.kept(of: call.metadata))
    let requestBytes = call.request?.body.count ?? 0
    if let limit = originState.begin(requestBytes: requestBytes, within: callBounds) {
      pump.state.handlerEnded(call.id, callBounds.refusal(limit))
      return scheduleFlush()
    }
    let handle = ServerCall(id: call.id, connection: self)
    let handler = RunningHandler(
      handle, requestBytes: requestBytes, streamsAnswers: call.method.serverStreams)
    handler.request = call.request
    handler.isInboxClosed = call.request != nil
    running.insert(call.id, handler)
    counters.running.wrappingAdd(1, ordering: .relaxed)
    refreshFreeCredit(handler)
    handler.task = run(service.handler, handle, context)
  }

  private func run(
    _ service: any ServiceHandler, _ call: ServerCall, _ context: CallContext
  ) -> Task<Void, Never> {
    Task(executorPreference: loop.executor) {
      var status = RPCError(.ok, "")
      do {
        try await service.handle(context.method, context: context, requests: call, responses: call)
      } catch {
        status = RPCError(any: error)
      }
      if self.reportsCalls { self.tell(context.method, status) }
      guard self.isOnLoop else { return self.onLoop { [status] in $0.handlerReturned(call.id, status) } }
      self.handlerReturned(call.id, status)
    }
  }

  private func tell(_ method: MethodDescriptor, _ status: RPCError) {
    let reason = status.text.isEmpty ? "" : ", " + status.text
    tell(.call, "\(method.name) ended: \(status.code)\(reason)")
  }

  private func handlerReturned(_ id: UInt32, _ status: RPCError) {
    guard let handler = running[id] else { return }
    if handler.offer != nil, status.code == .ok, !handler.isStopped {
      // The newest frame still has to be sent.
      handler.ending = status
      return
    }
    end(handler, status)
  }

  func end(_ handler: RunningHandler, _ status: RPCError) {
    running.remove(handler.call.id)
    leaveFrame(of: handler)
    workEnded()
    originState.callEnded(requestBytes: handler.requestBytes)
    counters.running.wrappingSubtract(1, ordering: .relaxed)
    pump.state.handlerEnded(handler.call.id, status)
    if isClosed { updateCounters() } else { scheduleFlush() }
  }

  /// Ends a call, and tells its handler. The call stays among those that are running until the handler returns.
  func stop(_ handler: RunningHandler) {
    guard !handler.isStopped else { return }
    handler.isStopped = true
    handler.offer = nil
    frameLeft(&handler.offerWait)
    frameLeft(&handler.frameWait)
    (handler.request, handler.inbox) = (nil, [])
    handler.call.freeCredit.store(0, ordering: .relaxed)
    handler.task?.cancel()
    wakeReaders(handler)
    wakeSenders(handler)
    if let status = handler.ending { end(handler, status) }
  }

  private static let over = RPCError(.cancelled, "the call is over", .init(.cancelled))

  // MARK: Requests

  /// Returns the call's next message, or success with `nil` after the last one. Returns `nil` if none has come yet: the caller has to wait for it.
  func nextNow(_ id: UInt32) -> Result<RawMessage?, RPCError>? {
    guard let handler = running[id], !handler.isStopped else { return .failure(Self.over) }
    if let request = handler.request.take() { return .success(request) }
    if !handler.inbox.isEmpty {
      let message = handler.inbox.removeFirst()
      pump.state.consumed(id)
      if pump.state.hasOutput { scheduleFlush() }
      return .success(message)
    }
    return handler.isInboxClosed ? .success(nil) : nil
  }

  func next(_ id: UInt32, _ reader: MessageReader) {
    if running[id]?.readers.isEmpty ?? true, let done = nextNow(id) { return reader.resume(returning: done) }
    running[id]!.readers.append(reader)
  }

  private func wakeReaders(_ handler: RunningHandler) {
    while !handler.readers.isEmpty, let done = nextNow(handler.call.id) {
      handler.readers.removeFirst().resume(returning: done)
    }
  }

  // MARK: Answers

  /// Sends an answer. Returns `nil` without sending it if there is no credit or no room, or if earlier answers wait: the caller has to wait too.
  func sendNow(_ id: UInt32, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard let handler = running[id], !handler.isStopped else { return .failure(Self.over) }
    guard handler.senders.isEmpty else { return nil }
    return sendNow(handler, message)
  }

  private func sendNow(_ handler: RunningHandler, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard !handler.isStopped else { return .failure(Self.over) }
    let id = handler.call.id
    guard pump.state.canSend(id) else { return nil }
    do throws(RPCError) {
      try pump.state.send(id, message)
    } catch {
      return .failure(error)
    }
    refreshFreeCredit(handler)
    scheduleFlush()
    return .success(())
  }

  func send(_ id: UInt32, _ message: RawMessage, _ sender: MessageSender) {
    if let done = sendNow(id, message) { return sender.resume(returning: done) }
    running[id]!.senders.append((message, sender))
    mayHaveWaiting = true
  }

  private func wakeSenders(_ handler: RunningHandler) {
    while let first = handler.senders.first, let done = sendNow(handler, first.message) {
      handler.senders.removeFirst()
      first.sender.resume(returning: done)
    }
  }

  /// After a write, resumes the senders that wait for room. First come the calls for which the write has finished a message with a payload. Then come
  /// all others, unless some came first and the socket takes no more bytes.
  func resumeSenders() {
    var hasWrittenWhole = false
    while let id = pump.state.nextProgressed() {
      hasWrittenWhole = true
      if let handler = running[id] { resume(handler) } else { leftFrameEnded(of: id) }
    }
    // A write that has finished no such message may still have made room for any call: it has written a part of a message, or packets without
    // payload.
    let mayResumeOthers = !hasWrittenWhole || !pump.isBlocked
    guard mayResumeOthers, mayHaveWaiting else { return }
    mayHaveWaiting = false
    for handler in running.values where handler.hasWaiting {
      resume(handler)
      if handler.hasWaiting { mayHaveWaiting = true }
    }
  }

  func resume(_ handler: RunningHandler) {
    guard !handler.isStopped else { return }
    if handler.frameWait.lateBytes > 0, pump.state.frame(of: handler.call.id) == nil {
      frameLeft(&handler.frameWait)
    }
    if !handler.senders.isEmpty { wakeSenders(handler) }
    promoteOffer(handler)
    refreshFreeCredit(handler)
  }

  func refreshFreeCredit(_ handler: RunningHandler) {
    guard handler.streamsAnswers else { return }
    let isOpen = handler.offer == nil && !handler.isStopped
    handler.call.freeCredit.store(isOpen ? pump.state.freeCredit(handler.call.id) : 0, ordering: .relaxed)
  }
}
