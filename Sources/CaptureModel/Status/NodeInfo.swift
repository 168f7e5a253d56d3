/// The identity of a node.
public struct NodeInfo: Hashable, Sendable {
  /// The machine's host name.
  public var name: String
  /// The version of capture-node: "0.1.0".
  public var version: String
  /// The boot to which the node's `CLOCK_MONOTONIC` belongs.
  public var bootID: String
  /// "Linux 6.1.0"
  public var kernel: String
  /// "x86_64", "aarch64"
  public var machine: String
  /// How many cameras are present now.
  public var cameras: Int
  /// The addresses on which it listens.
  public var listeners: [String]
  /// Every method that it serves: "capture.v1.Devices/List".
  public var methods: [String]

  package init(
    name: String, version: String, bootID: String, kernel: String, machine: String, cameras: Int,
    listeners: [String], methods: [String]
  ) {
    (self.name, self.version, self.bootID) = (name, version, bootID)
    (self.kernel, self.machine, self.cameras) = (kernel, machine, cameras)
    (self.listeners, self.methods) = (listeners, methods)
  }
}
