package import CaptureTLS
import CaptureWire
import Synchronization

/// What a client demands of its node over TLS, and what came of that.
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

  /// A session for this, before its handshake.
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

  /// Why the node is not taken, for the log of the other side; `nil`: it is.
  func refusal(_ session: TLSSession) -> String? {
    let (pin, certificate) = (session.peerPin, session.peerCertificatePEM)
    let refusal = refusal(of: pin, session)
    state.withLock { ($0.pin, $0.certificate, $0.refusal) = (pin, certificate, refusal) }
    return refusal.map { _ in "the node is not the one that is known" }
  }

  private func refusal(of pin: Digest?, _ session: TLSSession) -> RPCError? {
    switch demand {
    case .anybody where pin != nil: nil
    case .key(let key) where pin == key: nil
    case .anybody, .key:
      RPCError(
        .unauthenticated,
        "answers with another key than the node's that is known. Somebody else may have its address, or it was set up anew; "
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

  /// The same error, with what TLS knows of it.
  func explain(_ error: RPCError, at address: some CustomStringConvertible) -> RPCError {
    let (refusal, failure) = state.withLock { ($0.refusal, $0.failure) }
    if let refusal { return RPCError(refusal.code, "\(address) \(refusal.text)", metadata: refusal.metadata) }
    guard let failure else { return error }
    return RPCError(
      error.code, "\(error.text) (\(failure); does that address take TLS?)", metadata: error.metadata)
  }
}
