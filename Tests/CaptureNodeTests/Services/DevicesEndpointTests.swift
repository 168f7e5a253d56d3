import CaptureEngine
import CaptureWire
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct DevicesEndpointTests {
  @Test func camerasAreListedWithTheirFormats() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let devices = try await fixture.devices.list(ListDevicesRequest(), options: bounded).devices
    #expect(devices.map(\.id) == ["synthetic-0"])
    #expect(devices[0].present && devices[0].usable)
    let formats = try await fixture.devices.formats(FormatsRequest(device: "0"), options: bounded).formats
    #expect(formats.allSatisfy { $0.jpeg && !$0.sizes.isEmpty })
    await fixture.stop()
  }

  @Test func aCameraThatIsNotThereIsNotFound() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let error = await status {
      _ = try await fixture.devices.formats(FormatsRequest(device: "nobody"), options: bounded)
    }
    #expect(error?.code == .notFound)
    #expect(error?.text == "no camera 'nobody'; there are: 0 'synthetic-0'")
    await fixture.stop()
  }

  @Test func controlsAreReadSetAndRefused() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let devices = fixture.devices
    let controls = try await devices.controls(ControlsRequest(device: "0"), options: bounded).controls
    let brightness = try #require(controls.first { $0.name == "brightness" })
    let target = brightness.minimum + 1
    let set = try await devices.setControls(
      SetControlsRequest(device: "0", assignments: [.init(name: "Brightness", kind: .literal("\(target)"))]),
      options: bounded)
    #expect(set.readings.map(\.value?.kind) == [.integer(target)])
    let error = await status {
      _ = try await devices.setControls(
        SetControlsRequest(
          device: "0", assignments: [.init(name: "brightness", kind: .literal("\(brightness.maximum + 1)"))]),
        options: bounded)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.text.contains("it goes from \(brightness.minimum) to \(brightness.maximum)") == true)
    let clamped = try await devices.setControls(
      SetControlsRequest(
        device: "0", assignments: [.init(name: "brightness", kind: .literal("\(brightness.maximum + 1)"))],
        clamp: true), options: bounded)
    #expect(clamped.readings.map(\.value?.kind) == [.integer(brightness.maximum)])
    let said = try #require(clamped.clamped.first)
    #expect(said.name == "brightness" && said.set == Double(brightness.maximum) && said.asked == said.set + 1)
    let applied = try await fixture.settings.awaitChange(
      AwaitChangeRequest(device: "0", change: clamped.change), options: bounded)
    #expect(applied.change == clamped.change && applied.nextStream && !clamped.streaming)
    _ = try await devices.setControls(
      SetControlsRequest(device: "0", assignments: [.init(name: "Brightness", kind: .literal("\(target)"))]),
      options: bounded)
    let got = try await devices.getControls(
      GetControlsRequest(device: "0", names: ["brightness"]), options: bounded)
    #expect(got.readings.first?.value?.kind == .integer(target))
    await fixture.stop()
  }
}
