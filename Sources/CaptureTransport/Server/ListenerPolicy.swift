/// Whom a listener lets in without TLS. An access guard decides by it; without a guard everybody is let in.
public struct ListenerPolicy: Hashable, Sendable {
  /// Whether everybody on this machine is let in by loopback, without a credential.
  public var trustsLocalUsers: Bool
  /// Whether clients on other machines may come in the clear, with credentials made for that.
  public var takesPlaintext: Bool

  public init(trustsLocalUsers: Bool = false, takesPlaintext: Bool = false) {
    (self.trustsLocalUsers, self.takesPlaintext) = (trustsLocalUsers, takesPlaintext)
  }
}
