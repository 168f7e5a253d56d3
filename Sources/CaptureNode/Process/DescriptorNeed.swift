package import CaptureModel

/// How many descriptors a node needs that has as many connections as its limits allow, and all of whose cameras stream.
package struct DescriptorNeed: Sendable {
  package let count: Int
  private let connections: Int
  private let cameras: Int

  /// A node at rest, with some of what its cameras' drivers and its files take for a moment.
  private static let atRest = 32
  /// A kernel's camera is opened twice, and each of its two threads has a bell.
  private static let perCamera = 4

  package init(_ limits: NodeLimits, cameras: Int) {
    connections = limits[.connections]
    self.cameras = cameras
    count =
      Self.atRest + connections + limits[.unknownConnections] + limits[.refusedConnections]
      + cameras * Self.perCamera
  }

  /// What the log says of a process that may have no more than `limit`; `nil`: it has enough.
  package func warning(limit: UInt64) -> String? {
    guard limit < UInt64(count) else { return nil }
    let streaming = cameras == 1 ? "a streaming camera" : "\(cameras) streaming cameras"
    return
      "\(connections) connections (limits.connections) and \(streaming) may take \(count) descriptors, and this process may have "
      + "\(limit): at that number new clients wait, and cameras do not start. LimitNOFILE= of the unit allows more, or the hard limit of the shell (ulimit -Hn)"
  }
}
