import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// However a switch ends, those who watch have their stream again.
@Suite struct SwitchEndTests {
  private static let vga = FrameSize(width: 640, height: 480)

  /// Frames come to the viewer, of the stream's size.
  private func expectStream(_ rig: SwitchRig) async {
    #expect(rig.size == Self.vga)
    rig.camera.emit()
    await eventually("the viewer has a frame again") { rig.sink.received.last?.gap.discontinuity != nil }
    #expect(rig.sink.received.last?.picture?.description.size == Self.vga)
  }

  @Test func itIsCancelled() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    task.cancel()
    await eventually("it goes back") { rig.size == Self.vga }
    let error = await refusal {
      _ = try await outcome {
        try await task.value
      } while: {
        await rig.step()
      }
    }
    #expect(error?.code == .cancelled)
    await expectStream(rig)
  }

  @Test func theCameraRefusesTheFormat() async throws {
    let rig = try await SwitchRig()
    rig.camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    let error = await refusal { _ = try await rig.photo() }
    #expect(error?.code == .resourceExhausted && error?.message.contains("no bandwidth") == true)
    await expectStream(rig)
  }

  @Test func theCameraGivesAnotherSize() async throws {
    let rig = try await SwitchRig()
    #expect(await rig.refusalOfAnotherSize(SwitchRig.large())?.code == .invalidArgument)
    await expectStream(rig)
  }

  /// Nobody can have frames; the viewer hears why.
  @Test func theStreamCannotGoOn() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    rig.camera.state.withLock { $0.startError = CaptureError(.unavailable, "it is broken") }
    _ = try await outcome {
      try await task.value
    } while: {
      await rig.step()
    }
    let error = await refusal { try await rig.subscription.waitUntilEnded() }
    #expect(error?.message.contains("it is broken") == true)
    #expect(await rig.device.stream == nil)
    await rig.device.unsubscribe(rig.subscription)
    _ = try await rig.device.subscribe(SwitchRig.small, sink: rig.sink, holder: "viewer")
    #expect(rig.size == Self.vga)
  }

  @Test func theCameraIsUnplugged() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    rig.provider.unplug(rig.camera)
    let error = await refusal { _ = try await task.value }
    #expect(error?.details?.reason == .cameraUnplugged)
    #expect(
      await refusal { try await rig.subscription.waitUntilEnded() }?.details?.reason == .cameraUnplugged)
    await rig.device.unsubscribe(rig.subscription)
    rig.provider.plug(FakeCamera())
    await eventually("it is back") { await rig.device.camera != nil }
    // Whoever comes first, the viewers' format is there, not the photo's.
    let sink = TestSink()
    let subscription = try await rig.device.subscribe(VideoRequest(), sink: sink, holder: "2")
    #expect(await rig.device.stream?.format.size == Self.vga)
    await rig.device.unsubscribe(subscription)
  }

  @Test func theNodeEnds() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    await rig.engine.shutDown()
    #expect(await refusal { _ = try await task.value } != nil)
    #expect(rig.size == nil)
  }

  @Test func everybodyHasLeft() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    let left = Task { await rig.device.unsubscribe(rig.subscription) }
    await eventually("it waits") { await rig.device.gates.stream.waitingCount == 1 }
    let photo = try await outcome {
      try await task.value
    } while: {
      await rig.step()
    }
    #expect(photo.picture.description.size.width == 1920)
    await left.value
    #expect(rig.size == nil)
  }

  @Test func aStreamThatIsOverIsNotStartedForAPhoto() async throws {
    let rig = try await SwitchRig()
    let task = await rig.switched()
    rig.camera.send(.ended(CaptureError(.unavailable, "the driver failed")))
    let error = await refusal {
      _ = try await outcome {
        try await task.value
      } while: {
        await rig.step()
      }
    }
    #expect(error?.message == "the driver failed")
    await expectStream(rig)
  }

  /// Some drivers have their defaults again with each stream.
  @Test func controlsThatTheDriverForgetsAreSetAgain() async throws {
    let camera = FakeCamera()
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .brightness, name: "brightness", label: "Brightness", type: .integer, maximum: 255)
      ]
    }
    let rig = try await SwitchRig(camera)
    // However busy the machine is.
    await rig.device.waitForRestoration(.seconds(20))
    _ = try await rig.device.set(
      [NamedAssignment(name: "brightness", value: .value(.integer(77)))], clamping: false)
    camera.state.withLock { $0.holdsStarting = true }
    let task = rig.begin()
    for _ in 0..<2 {
      await eventually("it starts in another format") {
        await rig.step()
        return camera.isHolding
      }
      camera.state.withLock { state in
        #expect(state.values[.brightness] == .integer(77))
        state.values = [:]
      }
      camera.releaseStart(holdsNext: true)
    }
    camera.releaseStart()
    _ = try await outcome {
      try await task.value
    } while: {
      await rig.step()
    }
    #expect(camera.state.withLock { $0.values[.brightness] } == .integer(77))
    await expectStream(rig)
  }
}
