import CaptureModel
import Testing

@testable import CaptureClient

/// What modes do until they are done.
@Suite(.timeLimit(.minutes(1))) struct SettlingTests {
  private static func settings(_ mode: FocusMode, adjusting: Bool = false, failure: String? = nil)
    -> CameraSettings
  {
    var settings = CameraSettings()
    settings.focus = .init(mode: mode)
    settings.focus?.isAdjusting = adjusting
    settings.focus?.failure = failure
    return settings
  }

  private static func asked(_ mode: FocusMode?, lens: Double? = nil) -> SettlingProgress {
    SettlingProgress(of: SettingsChange { $0.focus = .init(mode: mode, point: .center, lensPosition: lens) })
  }

  @Test func aModeThatWorksOnceEndsAsLocked() {
    let once = Self.asked(.auto)
    #expect(once.state(of: Self.settings(.auto, adjusting: true)) == .adjusting)
    #expect(once.state(of: Self.settings(.auto)) == .adjusting)
    #expect(once.state(of: Self.settings(.locked)) == .resting)
    #expect(once.state(of: Self.settings(.locked, failure: "too dark")) == .failed("too dark"))
    #expect(once.state(of: Self.settings(.continuous)) == .replaced)
  }

  @Test func aModeThatFollowsTheSceneRests() {
    let following = Self.asked(.continuous)
    #expect(following.state(of: Self.settings(.continuous, adjusting: true)) == .adjusting)
    #expect(following.state(of: Self.settings(.continuous)) == .resting)
    // Somebody else has locked it.
    #expect(following.state(of: Self.settings(.locked)) == .replaced)
    // A point alone keeps whatever mode is on.
    #expect(Self.asked(nil).state(of: Self.settings(.locked)) == .resting)
    #expect(Self.asked(nil, lens: 0.5).state(of: Self.settings(.continuous)) == .replaced)
    // A camera without the group has nothing to wait for.
    #expect(following.state(of: CameraSettings()) == .resting)
  }

  @Test func aTapFocusesAndSaysFromWhichFrame() async throws {
    let live = try await LiveNode("synthetic:physics:160x120@60,manual")
    let (node, _) = try await live.client()
    let camera = node.camera("0")
    let early = await failure { try await camera.focus(at: .center) }
    #expect(early?.details?.reason == .notStreaming && early?.code == .failedPrecondition)
    let viewing = Task { for try await _ in camera.videoOutput.frames(format: .raw) {} }
    defer { viewing.cancel() }
    await eventually("it streams") { (try? await node.status().cameras.first?.isStreaming) == true }
    let settled = try await camera.focus(at: .center, within: .seconds(40))
    #expect(settled.settings.focus?.mode == .locked && settled.settings.focus?.isAdjusting == false)
    #expect(settled.frame != nil && settled.change > 0)
    let zoomed = try await camera.ramp(toZoom: 2, rate: 4)
    #expect(zoomed.settings.zoom?.factor.value == 2 && zoomed.settings.zoom?.isRamping == false)
    // It never arrives in this time.
    let slow = await failure { try await camera.focus(.continuous, within: .milliseconds(1)) }
    #expect(slow?.code == .deadlineExceeded && slow?.details?.reason == .deadlineExceeded)
    await live.stop()
  }

  @Test func aLostConnectionEndsTheWaitWithItsReason() async throws {
    let live = try await LiveNode("synthetic:physics:160x120@60,manual")
    let (node, cable) = try await live.client()
    let camera = node.camera("0")
    let viewing = Task { for try await _ in camera.videoOutput.frames(format: .raw) {} }
    defer { viewing.cancel() }
    await eventually("it streams") { (try? await node.status().cameras.first?.isStreaming) == true }
    // Slow enough to be on its way for minutes.
    async let waiting = failure { try await camera.ramp(toZoom: 4, rate: 0.01) }
    await eventually("the zoom is on its way") { (try? await camera.settings().zoom?.isRamping) == true }
    await cable.cut()
    let error = await waiting
    #expect(error?.code == .unavailable, "\(String(describing: error))")
    await live.stop()
  }

  @Test func whoIsCancelledWaitsNoLonger() async throws {
    let live = try await LiveNode("synthetic:physics:160x120@60,manual")
    let (node, _) = try await live.client()
    let camera = node.camera("0")
    let viewing = Task { for try await _ in camera.videoOutput.frames(format: .raw) {} }
    defer { viewing.cancel() }
    await eventually("it streams") { (try? await node.status().cameras.first?.isStreaming) == true }
    let waiting = Task { await failure { try await camera.ramp(toZoom: 4, rate: 0.01) } }
    await eventually("the zoom is on its way") { (try? await camera.settings().zoom?.isRamping) == true }
    waiting.cancel()
    #expect(await waiting.value?.code == .cancelled)
    // What was begun goes on.
    #expect(try await camera.settings().zoom?.isRamping == true)
    await live.stop()
  }
}
