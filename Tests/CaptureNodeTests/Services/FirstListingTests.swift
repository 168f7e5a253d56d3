import CaptureEngine
import CaptureModel
import CaptureNode
import CaptureSystem
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// Clients that connect while the node's cameras are listed for the first time.
@Suite(.timeLimit(.minutes(1))) struct FirstListingTests {
  /// A backend whose first scan ends when the test says so.
  private final class SlowProvider: CameraProvider {
    private let scan = Mutex<CheckedContinuation<Void, Never>?>(nil)

    nonisolated(nonsending) func start(_ handler: @escaping @Sendable (CameraProviderEvent) -> Void) async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        scan.withLock { $0 = continuation }
      }
      handler(.appeared(FakeCamera()))
    }

    nonisolated(nonsending) func stop() async {}

    var isScanning: Bool { scan.withLock { $0 != nil } }

    func finish() { scan.withLock { $0.take() }?.resume() }
  }

  private let provider = SlowProvider()
  private let engine = CaptureEngine(imaging: .standard)
  private let node: CameraNode
  private let address: SocketAddress

  init() throws {
    var configuration = NodeConfiguration()
    configuration.holdsConnections = true
    node = CameraNode(engine, configuration: configuration)
    address = try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4))
  }

  private func serve(atMost patience: Duration) async -> Task<Bool, Never> {
    let serving = Task { [node, engine, provider] in
      await node.acceptConnections(atMost: patience) { await engine.attach(provider) }
    }
    await eventually("the cameras are being listed") { provider.isScanning }
    return serving
  }

  /// What a client that connects now is told.
  private func cameras() async throws -> [String] {
    let client = try await ClientConnection.connect(to: address)
    let cameras = try await DevicesClient(client).list(options: bounded).devices.map(\.id)
    await client.close()
    return cameras
  }

  @Test func theyWaitForItAndAreToldOfTheCameras() async throws {
    let serving = await serve(atMost: .seconds(50))
    var impatient = ClientConfiguration()
    impatient.connectTimeout = .milliseconds(100)
    await #expect(throws: RPCError.self) {
      try await ClientConnection.connect(to: address, configuration: impatient)
    }
    let told = Task { try await cameras() }
    provider.finish()
    #expect(await serving.value)
    #expect(try await told.value == ["fake-0"])
    await node.drain(grace: .milliseconds(10))
  }

  /// As where a driver hangs.
  @Test func theyAreServedAfterAWhileInAnyCaseAndTheCamerasComeLater() async throws {
    let serving = await serve(atMost: .milliseconds(50))
    #expect(await !serving.value)
    #expect(try await cameras().isEmpty)
    provider.finish()
    await eventually("it comes") { engine.cameras.count == 1 }
    #expect(try await cameras() == ["fake-0"])
    await node.drain(grace: .milliseconds(10))
  }
}
