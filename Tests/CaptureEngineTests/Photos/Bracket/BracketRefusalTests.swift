import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What a camera cannot do is refused before anything is set.
@Suite struct BracketRefusalTests {
  private static func error(
    _ rig: BracketRig, _ steps: [BracketStep], _ request: VideoRequest = BracketRig.raw
  ) async
    -> CaptureError?
  {
    do {
      _ = try await rig.bracket(steps, request)
      return nil
    } catch { return error as? CaptureError }
  }

  @Test func aStepThatCannotBeReached() async throws {
    let rig = try await BracketRig(.manual(delay: 1))
    _ = try await rig.rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    _ = rig.camera.takeAssignments()
    let before = try await rig.values()
    let far = await Self.error(rig, [.bias(0), .bias(-9)])
    #expect(far?.code == .invalidArgument && far?.details?.field == "settings.bracket[1].bias")
    #expect(far?.details?.range.map { $0.minimum < -6 && $0.minimum > -7 } == true, "\(far?.message ?? "")")
    let long = await Self.error(rig, [.bias(0), .bias(3)])
    #expect(
      long?.code == .failedPrecondition && long?.message.contains("at most 12.5 frames a second") == true)
    let longer = await Self.error(rig, [.exposure(duration: 0.2)])
    #expect(longer?.message.contains("at most 5 frames a second") == true)
    #expect(longer?.details?.field == "settings.bracket[0].change.exposure.duration")
    let beyond = await Self.error(rig, [.exposure(duration: 0.01, gain: 4000)])
    #expect(
      beyond?.code == .invalidArgument && beyond?.details?.field == "settings.bracket[0].change.exposure.gain"
    )
    let lens = await Self.error(rig, [.lensPosition(0.5), .lensPosition(1.5)])
    #expect(
      lens?.code == .invalidArgument
        && lens?.details?.field == "settings.bracket[1].change.focus.lens_position")
    // Each start of the stream sets again what clients had set, and nothing else was set.
    let set = rig.camera.takeAssignments()
    #expect(set.allSatisfy { before[$0.id] == .some($0.value) }, "\(set)")
  }

  @Test func aStepBetweenCoarseExposures() async throws {
    let rig = try await BracketRig(.manual(delay: 1))
    // 6 steps of the driver: two stops less are 1.5, and 1 and 2 are half a stop away.
    _ = try await rig.rig.set { $0.exposure = .init(duration: 0.0006, gain: 16) }
    let between = await Self.error(rig, [.bias(0), .bias(-2)])
    #expect(between?.code == .invalidArgument && between?.details?.field == "settings.bracket[1].bias")
    #expect(between?.details?.possible == ["-1.6"], "\(between?.message ?? "")")
  }

  /// Without a camera, so before anything begins.
  @Test(arguments: [
    (BracketStep.bias(.nan), "bias"), (.bias(17), "bias"),
    (.lensPosition(.nan), "change.focus.lens_position"),
    (.lensPosition(-0.1), "change.focus.lens_position"),
    (.exposure(duration: .nan), "change.exposure.duration"),
    (.exposure(duration: 0), "change.exposure.duration"),
    (.exposure(duration: 0.01, iso: 0), "change.exposure.iso"),
    (.exposure(duration: 0.01, gain: .infinity), "change.exposure.gain"),
  ]) func valuesThatNoCameraHas(step: BracketStep, field: String) {
    do {
      try [step].validate()
      Issue.record("\(step) is taken")
    } catch {
      #expect(error.code == .invalidArgument && error.details?.field == "settings.bracket[0].\(field)")
      #expect(error.details?.asked != nil)
    }
  }

  @Test func stepsOfTwoKindsAndTooMany() async throws {
    let rig = try await BracketRig(.manual(delay: 1))
    let mixed = await Self.error(rig, [.bias(0), .lensPosition(0)])
    #expect(mixed?.details?.reason == .fieldsExclusive)
    let many = await Self.error(rig, Array(repeating: .bias(0), count: BracketStep.most + 1))
    #expect(many?.code == .resourceExhausted && many?.details?.limit == "bracketSteps")
    var request = BracketRig.raw
    request.flash = .on
    let flash = await Self.error(rig, [.bias(0)], request)
    #expect(flash?.details?.field == "settings.flash")
  }

  @Test func biasesOfAnExposureThatNobodyKnows() async throws {
    var options = PhysicsOptions()
    options.reportsAutomaticValues = false
    let rig = try await BracketRig(options)
    let error = await Self.error(rig, [.bias(-1), .bias(1)])
    #expect(
      error?.code == .failedPrecondition && error?.details?.reason == .notReadable, "\(error?.message ?? "")")
    #expect(rig.camera.takeAssignments().isEmpty)
  }

  /// Not a client of the node: it sets the camera's own control.
  @Test(arguments: [
    ([BracketStep.exposure(duration: 0.002), .exposure(duration: 0.02)], "exposure_time_absolute", 77),
    ([.lensPosition(0.2), .lensPosition(0.8)], "focus_absolute", 3),
  ]) func anotherProgramThatChangesWhatAStepHasSet(steps: [BracketStep], control: String, value: Int64)
    async throws
  {
    let rig = try await BracketRig(.manual(delay: 1))
    let id = try #require(try await rig.camera.controls().first { $0.name == control }?.id)
    let photos = BracketRig.Photos()
    let task = rig.start(steps, into: photos)
    await eventually("there is a photo") {
      if photos.all.isEmpty { await rig.step() }
      return !photos.all.isEmpty
    }
    await eventually("the next is due") {
      await rig.device.run { device in
        device.context.stream.active?.hub.consumers.contains { $0 is PhotoConsumer } == true
      }
    }
    _ = try await rig.camera.set([ControlAssignment(id, .integer(value))])
    do {
      try await outcome {
        try await task.value
      } while: {
        await rig.step()
      }
      Issue.record("it went on")
    } catch let error as CaptureError {
      #expect(error.code == .aborted && error.details?.reason == .changeReplaced, "\(error.message)")
    }
    #expect(photos.all.count == 1)
  }

  @Test func anInterruptedStream() async throws {
    let rig = try await BracketRig(.manual(delay: 1))
    let photos = BracketRig.Photos()
    let task = rig.start([.exposure(duration: 0.002), .exposure(duration: 0.02)], into: photos)
    await eventually("there is a photo") {
      if photos.all.isEmpty { await rig.step() }
      return !photos.all.isEmpty
    }
    await eventually("the next is due") {
      await rig.device.run { device in
        device.context.stream.active?.hub.consumers.contains { $0 is PhotoConsumer } == true
      }
    }
    await rig.device.stream?.hub.streamEvent(.interrupted(reason: "test"))
    do {
      try await outcome {
        try await task.value
      } while: {
        await rig.step()
      }
      Issue.record("it went on")
    } catch let error as CaptureError {
      #expect(error.code == .aborted)
    }
  }
}
