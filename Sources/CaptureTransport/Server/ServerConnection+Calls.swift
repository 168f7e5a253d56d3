import CaptureSystem
import CaptureWire

extension ServerConnection {
  func performActions() {
    var index = 0
    // An action may bring further ones.
    while index < pump.state.actions.count {
      let action = pump.state.actions[index]
      index += 1
      switch action {
      case .start(let id, let method, let metadata, let deadline):
        start(id, method, metadata, deadline)
      case .message(let id, let message):
        guard let handler = running[id], !handler.isStopped else { continue }
        handler.inbox.append(message)
        handler.wakeReaders()
      case .endOfMessages(let id):
        running[id]?.isInboxClosed = true
        running[id]?.wakeReaders()
      case .stop(let id):
        if let handler = running[id] { stop(handler) }
      case .credit(let id):
        if let handler = running[id] { resume(handler) }
      case .pong:
        break
      }
    }
    pump.state.actions.removeAll(keepingCapacity: true)
  }

  private func start(
    _ id: UInt32, _ method: MethodDescriptor, _ metadata: [CallMetadata], _ deadline: UInt64?
  ) {
    let call = ServerCall(id: id, connection: self)
    let handler = RunningHandler(call)
    running[id] = handler
    counters.running.wrappingAdd(1, ordering: .relaxed)
    refreshReadiness(handler)
    let context = CallContext(
      method: method, peer: peer, connectionID: self.id, deadline: deadline, metadata: metadata)
    let service = services.handler(of: method)
    handler.task = Task(executorPreference: loop.executor) {
      var status = RPCError(.ok, "")
      do {
        try await service.handle(method, context: context, requests: call, responses: call)
      } catch {
        status = RPCError(any: error)
      }
      if self.reportsCalls {
        let reason = status.text.isEmpty ? "" : ", " + status.text
        self.tell(.call, "\(method.name) ended: \(status.code)\(reason)")
      }
      await self.handlerReturned(id, status)
    }
  }

  private func handlerReturned(_ id: UInt32, _ status: RPCError) {
    guard let handler = running[id] else { return }
    if handler.offer != nil, status.code == .ok, !handler.isStopped {
      // The newest frame is still to go out.
      handler.ending = status
      return
    }
    end(handler, status)
  }

  func end(_ handler: RunningHandler, _ status: RPCError) {
    running[handler.call.id] = nil
    counters.running.wrappingSubtract(1, ordering: .relaxed)
    pump.state.handlerEnded(handler.call.id, status)
    if isClosed { count() } else { scheduleFlush() }
  }

  /// The call is over: its handler gets to know, and counts until it returns.
  func stop(_ handler: RunningHandler) {
    guard !handler.isStopped else { return }
    handler.isStopped = true
    handler.offer = nil
    handler.inbox = []
    handler.call.isFree.store(false, ordering: .relaxed)
    handler.task?.cancel()
    handler.wakeReaders()
    handler.wakeSenders()
    if let status = handler.ending { end(handler, status) }
  }

  private static let over = RPCError(.cancelled, "the call is over")

  // MARK: Requests

  /// `nil`: it has to be waited for.
  func nextNow(_ id: UInt32) -> Result<RawMessage?, RPCError>? {
    guard let handler = running[id], !handler.isStopped else { return .failure(Self.over) }
    if !handler.inbox.isEmpty {
      let message = handler.inbox.removeFirst()
      pump.state.consumed(id)
      if !pump.state.outbox.isEmpty { scheduleFlush() }
      return .success(message)
    }
    return handler.isInboxClosed ? .success(nil) : nil
  }

  func next(_ id: UInt32) async throws(RPCError) -> RawMessage? {
    while true {
      if let done = nextNow(id) { return try done.get() }
      await withCheckedContinuation { running[id]!.readers.append($0) }
    }
  }

  // MARK: Answers

  /// `nil`: there is no credit or no room now.
  func sendNow(_ id: UInt32, _ message: RawMessage) -> Result<Void, RPCError>? {
    guard let handler = running[id], !handler.isStopped else { return .failure(Self.over) }
    guard pump.state.canSend(id) else { return nil }
    do throws(RPCError) {
      try pump.state.send(id, message, now: MonotonicClock.now())
    } catch {
      return .failure(error)
    }
    refreshReadiness(handler)
    scheduleFlush()
    return .success(())
  }

  func send(_ id: UInt32, _ message: RawMessage) async throws(RPCError) {
    while true {
      if let done = sendNow(id, message) { return try done.get() }
      await withCheckedContinuation { running[id]!.senders.append($0) }
    }
  }

  /// After a write: whoever waited for room goes on.
  func resumeSenders() {
    if pump.state.outbox.progressed.isEmpty {
      for handler in running.values where !handler.senders.isEmpty || handler.offer != nil { resume(handler) }
      return
    }
    let progressed = pump.state.outbox.progressed
    pump.state.outbox.progressed.removeAll(keepingCapacity: true)
    for id in progressed {
      if let handler = running[id] { resume(handler) }
    }
    guard !pump.isBlocked else { return }
    for handler in running.values where handler.offer != nil || !handler.senders.isEmpty { resume(handler) }
  }

  func resume(_ handler: RunningHandler) {
    guard !handler.isStopped else { return }
    if !handler.senders.isEmpty, pump.state.canSend(handler.call.id) { handler.wakeSenders() }
    promoteOffer(handler)
    refreshReadiness(handler)
  }

  func refreshReadiness(_ handler: RunningHandler) {
    let isFree = handler.offer == nil && !handler.isStopped && pump.state.isFree(handler.call.id)
    handler.call.isFree.store(isFree, ordering: .relaxed)
  }
}
