import CaptureAccess
import CaptureModel
import CaptureWire

/// Clients ask for more rights, and an operator decides.
extension NodeAccess {
  var book: AccessBook { state.withLock { $0.contents.book } }

  /// The caller with the rights that it has now.
  func current(_ caller: Caller) -> Caller {
    guard caller.kind == .client, let client = book.clients.first(where: { $0.name == caller.name }) else {
      return caller
    }
    return caller.having(client.grants)
  }

  /// Whether a client has access to the pictures of the camera with this identity.
  func access(of client: String, to camera: String) -> AccessBook.CameraAccess {
    book.access(of: client, to: camera, boottime: Self.boottime())
  }

  /// Whether a call is a subscription that waits until the client's request is decided, though the client has no grant for video yet.
  func awaitsDecision(_ request: (any WireMessage)?, of context: CallContext) -> Bool {
    guard let request = request as? SubscribeRequest, request.session.isEmpty,
      let client = context.clientName
    else { return false }
    return access(of: client, to: request.device) == .requested
  }

  /// Notes the rights that a client asks for, in place of those that it asked for before.
  func ask(for wanted: AccessRequests.Rights, _ context: CallContext) async throws(RPCError) {
    let (name, peer) = (context.caller.name, context.peer)
    let (outcome, isNew) = try await change(isOfClient: true) { (contents) throws(RPCError) in
      let boottime = Self.boottime()
      let isNew = contents.book.requests.request(of: name, at: boottime) == nil
      let outcome =
        context.caller.kind == .client
        ? contents.book.ask(name, for: wanted, from: peer, now: Self.utc(), boottime: boottime)
        : .failure(.cannotAsk)
      return (value: (outcome, isNew), needsDisk: false)
    }
    switch outcome {
    case .success(.alreadyGranted): break
    case .success(.noted(let request)):
      if isNew {
        report(.info, "'\(name)' (\(peer)) asks for \(request.wanted); 'capturectl access pending' shows it")
      }
      watchExpiry()
    case .failure(let refusal): throw refusal.error(of: context.caller)
    }
    news.signal(for: name)
  }

  func withdrawRequest(_ context: CallContext) async throws(RPCError) {
    guard let name = context.clientName else { return }
    let hadOne = try await change(isOfClient: true) { (contents) throws(RPCError) in
      (value: contents.book.withdraw(name), needsDisk: false)
    }
    if hadOne { news.signal(for: name) }
  }

  /// Decides the request of a client. `number`: the request that the decider has seen; `nil`: the present one, whichever it is. `decider`: the client
  /// that decides; `nil`: somebody on the node's machine.
  func decide(
    _ name: String, number: UInt64?, approves: Bool, decider: String?
  ) async throws(RPCError) -> KnownClient {
    let outcome = try await change { (contents) throws(RPCError) in
      guard decider.map(contents.book.knows) ?? true else {
        throw RPCError(.unauthenticated, "the credential was revoked", .init(.credentialRefused))
      }
      let outcome = contents.book.decide(
        name, number: number, approves: approves, now: Self.utc(), boottime: Self.boottime())
      if case .success = outcome, approves { return (value: outcome, needsDisk: true) }
      return (value: outcome, needsDisk: false)
    }
    let client: KnownClient
    switch outcome {
    case .success(let decided): client = decided
    case .failure(let refusal): throw self.refusal(refusal, name)
    }
    report(
      .info,
      approves
        ? "approved what '\(name)' has asked for: it has \(client.grants.text)"
        : "denied what '\(name)' has asked for")
    if approves { await server?.renewCallers { [self] in $0.name == name ? current($0) : $0 } }
    watchExpiry()
    news.signal(for: name)
    return client
  }

  private func refusal(_ refusal: AccessBook.DecisionRefusal, _ name: String) -> RPCError {
    let names = book.pending(now: Self.utc(), boottime: Self.boottime()).map(\.client.name)
    let list = names.isEmpty ? "none" : names.joined(separator: ", ")
    switch refusal {
    case .gone:
      return RPCError(
        .notFound, "no client \(name.quoted) was paired; clients with a request: \(list)",
        .init(.unknownName, field: "client", asked: .text(name), possible: names))
    case .noRequest:
      return RPCError(
        .failedPrecondition,
        "'\(name)' has no request: it was decided, withdrawn, or has ended; clients with a request: \(list)",
        .init(.valueNotPossible, field: "client", asked: .text(name), possible: names))
    case .otherRequest(let number):
      return RPCError(
        .failedPrecondition,
        "'\(name)' has asked for something else meanwhile, by the request \(number): 'capturectl access pending' shows it",
        .init(.valueNotPossible, field: "number", possible: ["\(number)"]))
    }
  }

  /// Adds to the text of a refused call's error how to ask for the missing right, where the caller may ask.
  func addingAdvice(
    to error: RPCError, _ request: (any WireMessage)?, of context: CallContext
  ) -> RPCError {
    let needed = AccessRules.role(for: context.method, request)
    guard error.code == .permissionDenied, needed == .view || needed == .control, book.canAsk(context.caller)
    else { return error }
    var options = needed == .control ? " --role control" : ""
    let hasEachMedium = context.caller.grants.allSatisfy { $0.media.count == AccessMedium.allCases.count }
    if !hasEachMedium, let medium = AccessRules.medium(of: context.method) {
      options += " --medium \(medium.rawValue)"
    }
    guard !options.isEmpty else { return error }
    var error = error
    error.text += ". Ask for it: capturectl access request\(options)"
    return error
  }

  // MARK: Requests and denials that expire

  /// Wakes the waiting calls each time a request or a denial expires, as long as there are any.
  private func watchExpiry() {
    state.withLock { state in
      guard state.expiryTask == nil else { return }
      state.expiryTask = Task { [weak self] in
        while !Task.isCancelled, let pause = self?.pauseUntilExpiry() {
          try? await Task.sleep(for: pause, tolerance: .seconds(1))
          self?.news.signal()
        }
      }
    }
  }

  /// The pause until the next request or denial expires; `nil`: there is none, and the watch ends. The pause is at most a minute, since it does not
  /// advance while the machine sleeps, but requests expire meanwhile.
  private func pauseUntilExpiry() -> Duration? {
    state.withLock { state in
      let now = Self.boottime()
      guard let end = state.contents.book.requests.nextEnd(after: now) else {
        state.expiryTask = nil
        return nil
      }
      return min(.nanoseconds(end - now), .seconds(60))
    }
  }

  /// Ends all calls that wait for news: the node drains.
  func endWaits() {
    news.end()
    state.withLock { $0.expiryTask }?.cancel()
  }
}

extension AccessBook.AskingRefusal {
  fileprivate func error(of caller: Caller) -> RPCError {
    switch self {
    case .cannotAsk:
      return RPCError(
        .permissionDenied,
        caller.kind == .client
          ? "the node's configuration (access.d) decides what \(caller.name) may do, or \(caller.name) has expired: it cannot ask for more rights"
          : "only a paired client can ask for more rights; pair first: capturectl pair",
        .init(.notPermitted))
    case .denied(let denial):
      let remaining = denial.end - min(denial.end, NodeAccess.boottime())
      return RPCError(
        .permissionDenied,
        "the request of \(caller.name) was denied; it may ask again in \(remaining / 60_000_000_000 + 1) min",
        .init(.notPermitted))
    case .noRoom(let error): return RPCError(error)
    case .tooManyRequests:
      return RPCError(
        .resourceExhausted,
        "\(AccessRequests.most) clients have asked for access, and nobody has decided; ask again later (accessRequests)",
        NodeLimit.accessRequests.details())
    }
  }
}

extension AccessRequests.Rights: CustomStringConvertible {
  /// "the role control and the cameras 'usb-*', 'pci-1' and the library", for a person.
  public var description: String {
    let list = cameras.map { "'\($0)'" }.joined(separator: ", ")
    let names = AccessMedium.allCases.filter(media.contains).map { "the \($0.rawValue)" }
    return
      ([role.map { "the role \($0.rawValue)" }, cameras.isEmpty ? nil : "the cameras \(list)"]
      .compactMap { $0 } + names).joined(separator: " and ")
  }
}

extension [AccessGrant] {
  /// "view of every camera; control of the camera 'usb-1'", for a person.
  var text: String { map(\.description).joined(separator: "; ") }
}
