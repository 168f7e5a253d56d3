internal import COpenSSL

/// An error of TLS, with a text for a person.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  /// An error with the text `what`, and behind it the reason that OpenSSL has queued. OpenSSL's queue of errors is empty afterwards.
  static func openSSL(_ what: String) -> TLSError {
    var reason: String?
    while true {
      let code = ERR_get_error()
      if code == 0 { break }
      if reason == nil { reason = ERR_reason_error_string(code).map { String(cString: $0) } }
    }
    return TLSError(reason.map { "\(what): \($0)" } ?? what)
  }
}
