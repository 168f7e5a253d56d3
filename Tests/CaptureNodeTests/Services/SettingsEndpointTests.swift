import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureWire
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct SettingsEndpointTests {
  private static func manual(_ duration: Double) -> CaptureWire.SettingsChange {
    .init(exposure: ExposureChange(time: .duration(duration)))
  }

  @Test func aCameraDescribesItsSettingsInUnits() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    let about = try await fixture.settings.describe(DescribeSettingsRequest(device: "0"), options: bounded)
    #expect(about.device == "synthetic-0")
    #expect(about.focus == nil)
    let exposure = try #require(about.exposure)
    #expect(exposure.modes == [.locked, .continuous, .custom])
    #expect(exposure.softwareModes.isEmpty)
    let range = try #require(exposure.duration)
    #expect(abs(range.minimum - 0.0001) < 1e-9 && abs(range.maximum - 1) < 1e-9)
    let use = try #require(about.controls.first { $0.setting == "exposure.duration" })
    #expect(use.control == "exposure_time_absolute" && use.controlID == ControlID.exposureAbsolute.rawValue)
    #expect(use.conversion == "× 100 µs" && use.delayFrames == 0 && use.delayProvenance == .assumed)
    await fixture.stop()
  }

  @Test func aDurationSwitchesToCustomAndIsReadBack() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    let before = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
    #expect(before.exposure?.mode == .continuous)
    #expect(before.exposure?.duration?.provenance == .unknown)
    let set = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: Self.manual(0.005)), options: bounded)
    #expect(set.change == 1 && !set.streaming)
    #expect(set.settings?.exposure?.mode == .custom)
    #expect(set.settings?.exposure?.duration == .init(value: 0.005, provenance: .reported))
    let got = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
    #expect(got.exposure?.duration == .init(value: 0.005, provenance: .reported))
    let applied = try await fixture.settings.awaitChange(
      AwaitChangeRequest(device: "0", change: 1), options: bounded)
    #expect(applied.nextStream && applied.frame == nil)
    await fixture.stop()
  }

  @Test func whatTheCameraCannotDoIsRefusedWithWhatItCan() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    func refusal(_ change: CaptureWire.SettingsChange) async -> RPCError? {
      await status {
        _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: change), options: bounded)
      }
    }
    let long = await refusal(Self.manual(5))
    #expect(long?.code == .invalidArgument)
    #expect(long?.text == "exposure.duration cannot be 5 s: 'synthetic-0' takes 0.0001 to 1 s")
    for wrong in [Double.nan, .infinity] {
      #expect(await refusal(Self.manual(wrong))?.code == .invalidArgument)
    }
    let focus = await refusal(.init(focus: FocusChange(mode: .continuous)))
    #expect(focus?.text == "focus.mode cannot be continuous: 'synthetic-0' has none that can be set")
    let auto = await refusal(.init(exposure: ExposureChange(mode: .auto)))
    #expect(auto?.text == "exposure.mode cannot be auto: 'synthetic-0' has continuous, custom, locked")
    #expect(await refusal(.init(focus: FocusChange(point: Point(x: 1.5, y: 0))))?.code == .invalidArgument)
    let clamped = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: Self.manual(5), clamp: true), options: bounded)
    #expect(clamped.settings?.exposure?.duration?.value == 1)
    await fixture.stop()
  }

  @Test func halfAFrameDurationIsRefusedAndNoneTakesTheBoundAway() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    func set(_ change: FrameDurationChange) async throws -> CaptureWire.FrameInterval? {
      try await fixture.settings.set(
        SetSettingsRequest(device: "0", change: .init(frameDuration: change)), options: bounded
      ).settings?.minimumFrameDuration
    }
    let slow = CaptureWire.FrameInterval(numerator: 1, denominator: 15)
    #expect(try await set(.init(minimum: slow)) == slow)
    for (numerator, denominator) in [(1, 0), (0, 1)] as [(UInt32, UInt32)] {
      let half = CaptureWire.FrameInterval(numerator: numerator, denominator: denominator)
      for change in [FrameDurationChange(minimum: half), .init(maximum: half)] {
        let refused = await status { _ = try await set(change) }
        #expect(refused?.code == .invalidArgument)
        #expect(refused?.text == "a frame duration of \(numerator)/\(denominator) s is not possible")
      }
    }
    let kept = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
    #expect(kept.minimumFrameDuration == slow)
    #expect(try await set(.init(minimum: .init())) == nil)
    await fixture.stop()
  }

  @Test func aChangeWhileStreamingIsNamedWithItsFirstFrame() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    let video = try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(encoding: .raw)), options: bounded)
    var frames = video.makeAsyncIterator()
    let first = try #require(try await frames.next())
    let set = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: Self.manual(0.002)), options: bounded)
    let answered = MonotonicClock.now()
    #expect(set.streaming)
    let applied = try await fixture.settings.awaitChange(
      AwaitChangeRequest(device: "0", change: set.change), options: bounded)
    let sequence = try #require(applied.frame?.sequence)
    #expect(sequence > first.info!.sequence)
    while let frame = try await frames.next() {
      guard let info = frame.info, let settings = info.settings else { continue }
      if settings.change == set.change {
        #expect(info.sequence >= sequence)
        #expect(settings.exposureDuration == .init(value: 0.002, provenance: .reported))
      }
      // One that came while the driver was being told, and asked what it made of it, does not know.
      guard info.timestampNs >= answered, info.sequence >= sequence else { continue }
      #expect(settings.change == set.change)
      break
    }
    await fixture.stop()
  }

  @Test func aWatchBeginsWithWhatIsAndTellsChangesByName() async throws {
    let (fixture, _) = try await Fixture.synthetic(hasModes: false)
    let events = try await fixture.settings.watch(
      WatchSettingsRequest(device: "0", names: ["exposure"]), options: bounded)
    var iterator = events.makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.changed.isEmpty && first.settings?.exposure?.mode == .continuous)
    let gain = SettingsChange(controls: [.init(name: "brightness", kind: .literal("3"))])
    _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: gain), options: bounded)
    let set = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: Self.manual(0.003)), options: bounded)
    let event = try #require(try await iterator.next())
    #expect(event.change == set.change)
    #expect(event.changed == ["exposure.duration", "exposure.gain", "exposure.mode"])
    #expect(event.settings?.exposure?.duration?.value == 0.003)
    await fixture.stop()
  }

  @Test func aSlowControlTransferHoldsUpNoFrame() async throws {
    let (fixture, provider) = try await Fixture.synthetic(hasModes: false)
    let video = try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(encoding: .raw)), options: bounded)
    var frames = video.makeAsyncIterator()
    _ = try await frames.next()
    _ = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
    await provider.camera(0)?.inject(.slowControls(.seconds(60)))
    let settings = fixture.settings
    let isOver = Mutex(false)
    let call = Task {
      let outcome = try await settings.set(
        SetSettingsRequest(
          device: "0", change: .init(controls: [.init(name: "brightness", kind: .literal("9"))])),
        options: bounded)
      isOver.withLock { $0 = true }
      return outcome
    }
    // They come during one transfer, which ends below.
    var count = 0
    while !isOver.withLock({ $0 }), count < 100, try await frames.next() != nil { count += 1 }
    #expect(count == 100 && !isOver.withLock { $0 })
    await provider.camera(0)?.inject(.slowControls(.zero))
    let outcome = try await call.value
    let applied = try await settings.awaitChange(
      AwaitChangeRequest(device: "0", change: outcome.change), options: bounded)
    #expect(applied.frame != nil)
    await fixture.stop()
  }

  @Test func gainsForALightAreToldWithoutSettingThem() async throws {
    let (fixture, _) = try await Fixture.synthetic("synthetic:physics:160x120@60,manual")
    let locked = SettingsChange(whiteBalance: .init(colour: .temperature(.init(temperature: 5000, tint: 0))))
    let set = try await fixture.settings.set(
      SetSettingsRequest(device: "0", change: locked), options: bounded)
    let answer = try await fixture.settings.convertWhiteBalance(
      ConvertWhiteBalanceRequest(device: "0", colour: .temperature(.init(temperature: 3200, tint: 10))),
      options: bounded)
    let gains = try #require(answer.gains)
    #expect(gains.blue > gains.green && min(gains.red, gains.green, gains.blue) == 1)
    let back = try await fixture.settings.convertWhiteBalance(
      ConvertWhiteBalanceRequest(device: "0", colour: .gains(gains)), options: bounded)
    #expect(abs((back.temperature?.temperature ?? 0) - 3200) < 30)
    #expect(abs((back.temperature?.tint ?? 0) - 10) < 1)
    let after = try await fixture.settings.get(GetSettingsRequest(device: "0"), options: bounded)
    #expect(after.whiteBalance == set.settings?.whiteBalance)
    for colour: ConvertWhiteBalanceRequest.Colour? in [
      nil, .temperature(.init(temperature: 1, tint: 0)), .temperature(.init(temperature: 5000, tint: 200)),
      .temperature(.init(temperature: .nan, tint: 0)), .gains(.init(red: 0, green: 1, blue: 1)),
      .gains(.init(red: 1, green: .nan, blue: 1)), .gains(.init(red: 1, green: 1, blue: .nan)),
      .gains(.init(red: .infinity, green: 1, blue: 1)), .gains(.init(red: 1e300, green: 1e-300, blue: 1)),
    ] {
      let error = await status {
        _ = try await fixture.settings.convertWhiteBalance(
          ConvertWhiteBalanceRequest(device: "0", colour: colour), options: bounded)
      }
      #expect(error?.code == .invalidArgument)
    }
    await fixture.stop()
  }
}
