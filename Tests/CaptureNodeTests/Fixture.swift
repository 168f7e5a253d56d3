import CaptureEngine
import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// A node with cameras, listening on loopback, and a client of it.
struct Fixture {
  let node: CameraNode
  let address: SocketAddress
  let client: ClientConnection

  /// `hasModes`: with modes of the node's own, which also tell photos when a picture is at rest. `limits`: the node's, and its engine's.
  init(
    _ provider: any CameraProvider, store: any MemoryStore = DiscardingStore(),
    jobs: any JobStore = DiscardingStore(), hasModes: Bool = true, limits: NodeLimits = NodeLimits()
  ) async throws {
    let engine =
      hasModes
      ? CaptureEngine(
        imaging: .standard, store: store, limits: limits, software: { SoftwareThreeA(of: $0) })
      : CaptureEngine(imaging: .standard, store: store, limits: limits)
    await engine.attach(provider)
    var configuration = NodeConfiguration()
    configuration.limits = limits
    node = CameraNode(engine, configuration: configuration, store: jobs)
    address = try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4))
    client = try await ClientConnection.connect(to: address)
  }

  /// With a synthetic camera.
  static func synthetic(
    _ spec: String = "synthetic:320x240@100", hasModes: Bool = true
  ) async throws -> (Fixture, SyntheticProvider) {
    let provider = SyntheticProvider(cameras: [try SyntheticSpec.parse(spec)!])
    return (try await Fixture(provider, hasModes: hasModes), provider)
  }

  var devices: DevicesClient { DevicesClient(client) }
  var video: VideoClient { VideoClient(client) }
  var settings: SettingsClient { SettingsClient(client) }
  var photos: PhotosClient { PhotosClient(client) }
  var about: NodeClient { NodeClient(client) }

  func stop() async {
    await client.close()
    await node.drain(grace: .milliseconds(10))
  }
}

/// What a call ended in; `nil`: OK.
func status(_ body: () async throws -> Void) async -> RPCError? {
  do {
    try await body()
    return nil
  } catch {
    return RPCError(any: error)
  }
}

let bounded = CallOptions(timeout: .seconds(20))

/// Missing in the camera's numbering between `frames` and not explained by what they say.
func unexplained(_ frames: [VideoFrame]) -> UInt64 {
  zip(frames, frames.dropFirst()).reduce(0) { sum, pair in
    sum &+ (pair.1.info!.sequence - pair.0.info!.sequence - 1) &- pair.1.discarded &- pair.1.thinned
  }
}

/// Checks `condition` until it holds, at most 10 s.
func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
  for _ in 0..<2000 {
    if await condition() { return }
    try? await Task.sleep(for: .milliseconds(5))
  }
  Issue.record(what, sourceLocation: sourceLocation)
}
