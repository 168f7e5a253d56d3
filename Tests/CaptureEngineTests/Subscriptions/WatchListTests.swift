import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct WatchListTests {
  @Test func whoHasGoneIsNotKept() {
    let list = WatchList<DeviceWatch>()
    weak var gone: DeviceWatch?
    do {
      let watches = (0..<1_000).map { _ in DeviceWatch([], ended: list.ended) }
      for watch in watches { list.add(watch) }
      #expect(list.count == 1_000 && list.listening.count == 1_000)
      for watch in watches.dropFirst() { watch.end() }
      #expect(list.listening.first === watches[0])
      gone = watches[0]
      watches[0].end()
      watches[0].end()
    }
    #expect(list.isEmpty && gone == nil)
  }

  @Test func soManyWatchTheNodesCamerasAndOneThatGoesMakesRoom() async throws {
    let engine = await engine(FakeCamera())
    var watches: [DeviceWatch] = []
    for _ in 0..<NodeLimit.deviceWatches.usual { watches.append(try await engine.watch()) }
    let error = await refusal { _ = try await engine.watch() }
    #expect(error?.code == .resourceExhausted && error?.message.contains("(deviceWatches)") == true)
    watches[17].end()
    watches[17] = try await engine.watch()
    #expect(await refusal { _ = try await engine.watch() } != nil)
  }

  @Test func soManyWatchASessionAndOneThatGoesMakesRoom() async throws {
    let engine = await engine(FakeCamera())
    _ = try await engine.configureSession("door", .of("0", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    var watches: [SessionWatch] = []
    for _ in 0..<NodeLimit.watchesPerSession.usual { watches.append(try await session.watch()) }
    let error = await refusal { _ = try await session.watch() }
    #expect(error?.code == .resourceExhausted && error?.message.contains("(watchesPerSession)") == true)
    #expect(error?.message.contains("'door'") == true)
    watches[17].end()
    watches[17] = try await session.watch()
    #expect(await refusal { _ = try await session.watch() } != nil)
  }

  @Test func whoHasGoneMakesRoomAtACamera() async throws {
    let device = try await engine(FakeCamera()).device("0")
    var watches: [SettingsWatch] = []
    for _ in 0..<NodeLimit.settingsWatchesPerCamera.usual {
      watches.append(try await device.watchSettings([]))
    }
    await #expect(throws: CaptureError.self) { try await device.watchSettings([]) }
    watches[17].end()
    watches[17] = try await device.watchSettings([])
    await #expect(throws: CaptureError.self) { try await device.watchSettings([]) }
    for watch in watches { watch.end() }
    #expect(await device.run { $0.settings.watchers.isEmpty })
    #expect(await !device.run { $0.settings.watchers.watchesOffset })
  }
}
