package import CaptureTLS
import CaptureWire
import Synchronization

/// Checks that a node's key or certificate is the one that the client demands, and keeps the result.
package final class PeerCheck: Sendable {
  private struct State {
    var pin: Digest?
    var certificate: String?
    var failure: String?
    var refusal: RPCError?
  }
  private let demand: ClientTLS
  private let state = Mutex(State())

  package init(_ demand: ClientTLS) { self.demand = demand }

  /// Makes the session of the client's side, before its handshake.
  package func session() throws(TLSError) -> TLSSession {
    switch demand {
    case .anybody, .key: try TLSSession(.client())
    case .authority(let authority, let name): try TLSSession(.client(believing: authority), name: name)
    }
  }

  /// The key that the node has shown.
  package var pin: Digest? { state.withLock { $0.pin } }
  /// The certificate that the node has shown, in PEM.
  package var certificate: String? { state.withLock { $0.certificate } }

  /// Checks a node after the handshake. Returns why the client refuses the node, for the client's log; `nil`: it does not.
  func check(_ session: TLSSession) -> String? {
    let (pin, certificate) = (session.peerPin, session.peerCertificatePEM)
    let refusal = error(of: pin, session)
    state.withLock { ($0.pin, $0.certificate, $0.refusal) = (pin, certificate, refusal) }
    return refusal.map { _ in "the node is not the one that is known" }
  }

  private func error(of pin: Digest?, _ session: TLSSession) -> RPCError? {
    switch demand {
    case .anybody where pin != nil: nil
    case .key(let key) where pin == key: nil
    case .anybody, .key:
      RPCError(
        .unauthenticated,
        "answers with another key than the known one. Somebody else may have its address, or it was set up anew; "
          + "if that is so, pair again. Nothing was sent to it",
        .init(.nodeChanged))
    case .authority:
      session.distrust.map {
        RPCError(
          .unauthenticated, "is not taken for the node: \($0). Nothing was sent to it", .init(.nodeChanged))
      }
    }
  }

  func failed(_ reason: String) { state.withLock { $0.failure = $0.failure ?? reason } }

  /// Returns the error, with the reason from TLS where there is one.
  func explain(_ error: RPCError, at address: some CustomStringConvertible) -> RPCError {
    let (refusal, failure) = state.withLock { ($0.refusal, $0.failure) }
    if let refusal { return RPCError(refusal.code, "\(address) \(refusal.text)", metadata: refusal.metadata) }
    guard let failure else { return error }
    return RPCError(
      error.code, "\(error.text) (\(failure); does that address take TLS?)", metadata: error.metadata)
  }
}
