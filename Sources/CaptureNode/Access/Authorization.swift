import CaptureAccess
import CaptureModel

extension Authorization {
  /// What a caller asks about.
  struct Question: Sendable {
    var role = AccessRole.view
    /// `nil`: any.
    var medium: AccessMedium?
    /// A camera's identity, or a pattern; `nil`: any camera that the caller may see.
    var camera: String?
  }

  /// Whether a caller has a right, and why. The answer depends only on the question, the caller's rights and its request, never on which cameras
  /// exist: it must not reveal a camera that the caller may not see.
  init(of caller: Caller, to question: Question, in book: AccessBook, boottime: UInt64) {
    let who = caller.title
    if caller.may(question) {
      self.init(.authorized, "\(who) may \(question.role.rawValue)")
    } else if question.role == .admin {
      self.init(
        .restricted, "nobody can ask for the role admin; 'sudo capture-node pair --role admin' gives it")
    } else if !book.canAsk(caller) {
      self.init(
        .restricted,
        caller.kind == .client
          ? "the node's configuration (access.d) decides what \(who) may do"
          : "\(who) may \(caller.role?.rawValue ?? "do nothing"); only a paired client can ask for more rights"
      )
    } else if book.requests.denial(of: caller.name, at: boottime) != nil {
      self.init(.denied, "the request of \(who) was denied")
    } else if let request = book.requests.request(of: caller.name, at: boottime),
      let client = book.clients.first(where: { $0.name == caller.name }),
      caller.having(client.granted(request.wanted).grants).may(question)
    {
      self.init(.notDetermined, "\(who) has asked, and nobody has decided yet")
    } else {
      self.init(.notDetermined, "\(who) may ask for it: capturectl access request")
    }
  }
}

extension AccessBook {
  /// Whether the caller is a client that was paired.
  func canAsk(_ caller: Caller) -> Bool {
    caller.kind == .client && clients.contains { $0.name == caller.name }
  }
}

extension Caller {
  fileprivate func may(_ question: Authorization.Question) -> Bool {
    guard let caller = withCameras(for: question.role, in: question.medium) else { return false }
    return question.camera.map(caller.cameras.covers) ?? true
  }
}
