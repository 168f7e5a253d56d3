import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// The list of cameras, and what their devices know.
@Suite(.timeLimit(.minutes(1))) struct ListedCameraTests {
  @Test func aCameraIsListedOnceItsDeviceIsMade() async throws {
    let node = Mutex<CaptureEngine?>(nil)
    let listed = Mutex<[Int]>([])
    let engine = CaptureEngine(
      imaging: .fake(),
      software: { device in
        let count = node.withLock { $0 }?.cameras.count
        listed.withLock { $0.append(count ?? -1) }
        return SoftwareThreeA(of: device)
      })
    node.withLock { $0 = engine }
    await engine.attach(FakeProvider([FakeCamera("a"), FakeCamera("b")]))
    #expect(listed.withLock { $0 } == [0, 1])
    #expect(engine.cameras.count == 2)
    node.withLock { $0 = nil }
  }

  /// Whoever has seen in the list that a camera has gone or come is a client whose next call is for it.
  @Test func whatTheListSaysOfACameraItsDeviceKnows() async throws {
    let provider = FakeProvider([FakeCamera("a")])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("a")
    for _ in 0..<100 {
      let camera = try #require(await device.camera as? FakeCamera)
      provider.unplug(camera)
      while engine.cameras[0].isPresent { await Task.yield() }
      #expect(await device.camera == nil)
      provider.plug(FakeCamera("a"))
      while !engine.cameras[0].isPresent { await Task.yield() }
      #expect(await device.camera != nil)
    }
    await engine.shutDown()
  }
}
