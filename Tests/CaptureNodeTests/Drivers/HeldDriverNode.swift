import CaptureControls
import CaptureModel
import CaptureNode
import CaptureSystem
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureEngine

/// A node with a camera whose driver a test holds, and a client of it.
struct HeldDriverNode {
  let camera: FakeCamera
  let client: ClientConnection
  private let engine: CaptureEngine
  private let node: CameraNode

  /// The camera has a profile "old". Everything that the node does with a camera that has come is done.
  init(library: NodeLibrary = NodeLibrary(nil)) async throws {
    let camera = FakeCamera("stuck", hasDriver: true)
    camera.state.withLock { state in
      state.controls = [
        CaptureModel.ControlDescription(
          id: .gain, name: "gain", label: "Gain", type: .integer, maximum: 100)
      ]
      state.inputs = [
        CaptureModel.CameraInput(index: 0, name: "TV 0", kind: .tuner),
        CaptureModel.CameraInput(index: 1, name: "HDMI 0", isSelected: true, status: .ready),
      ]
    }
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    let node = CameraNode(engine, library: library)
    let client = try await ClientConnection.connect(
      to: try node.listen(on: .internet(host: "127.0.0.1", port: 0, family: .v4)))
    (self.camera, self.engine, self.node, self.client) = (camera, engine, node, client)
    _ = try await DevicesClient(client).inputs(InputsRequest(device: "0"), options: bounded)
    _ = try await SettingsClient(client).saveProfile(
      SaveProfileRequest(device: "0", name: "old"), options: bounded)
  }

  /// Has the node know nothing of the camera's controls.
  func forgetControls() async throws {
    let device = try engine.device("0")
    await device.run { $0.settings.controls.forget() }
  }

  /// Makes a call on the side.
  func begin(_ call: DriverCall) -> CallBeside { CallBeside { [client] in try await call.make(client) } }

  /// Has the node find that the driver has not answered for as long as it waits. Returns the time before.
  func takeForStuck() async -> ContinuousClock.Instant {
    camera.fallSilent()
    let begun = ContinuousClock.now
    await engine.checkDrivers()
    return begun
  }

  func stop() async {
    camera.releaseEverything()
    camera.releaseStop()
    await client.close()
    await node.drain(grace: .milliseconds(10))
  }
}

/// A call on the side, and its end.
final class CallBeside: Sendable {
  struct End: Sendable {
    var time: ContinuousClock.Instant
    /// `nil`: OK.
    var error: RPCError?
  }
  private let state = Mutex<End?>(nil)

  init(_ call: @escaping @Sendable () async throws -> Void) {
    Task {
      let error = await status(call)
      let end = End(time: .now, error: error)
      state.withLock { $0 = end }
    }
  }

  var hasEnded: Bool { state.withLock { $0 != nil } }

  /// How the call ends, which has to be within five seconds of `begun`: far sooner than a call would that waits for the driver (`ResponseWatch.silent`).
  func end(since begun: ContinuousClock.Instant) async -> End? {
    await eventually("it ends") { hasEnded }
    let end = state.withLock { $0 }
    if let end { #expect(end.time - begun < .seconds(5)) }
    return end
  }
}
