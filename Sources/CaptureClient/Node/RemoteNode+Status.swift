public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// The state of the node.
  /// Throws `unavailable` where the node is not reached.
  public func status() async throws(CaptureError) -> CaptureModel.NodeStatus {
    try await convertingErrors { () async throws(RPCError) in
      try await NodeClient(connection).status(StatusRequest(), options: callOptions).model
    }
  }
}
