import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// Which field a refusal names: the whole path in the request.
@Suite(.timeLimit(.minutes(1))) struct RefusedFieldsTests {
  @Test(arguments: [nil, CaptureWire.ControlAssignment.Kind.value(.init())])
  func anAssignmentWithoutAValueIsNamed(value: CaptureWire.ControlAssignment.Kind?) async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let whole = CaptureWire.ControlAssignment(name: "gain", kind: .literal("1"))
    let assignments = [whole, .init(name: "gain", kind: value)]
    let alone = await status {
      _ = try await fixture.devices.setControls(
        SetControlsRequest(device: "0", assignments: assignments), options: bounded)
    }
    #expect(alone?.details?.reason == .valueMissing && alone?.details?.field == "assignments[1].value")
    let among = await status {
      _ = try await fixture.settings.set(
        SetSettingsRequest(device: "0", change: .init(controls: assignments)), options: bounded)
    }
    #expect(among?.details?.field == "change.controls[1].value")
    await fixture.stop()
  }

  @Test func aPlaceThatCannotBeConvertedNamesItsField() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let whole = ConvertPointsRequest(
      picture: .init(width: 640, height: 480), viewWidth: 100, viewHeight: 100,
      viewPoints: [Point(x: 1, y: 1)], devicePoints: [Point(x: 0.5, y: 0.5)])
    let wrong: [(String, (inout ConvertPointsRequest) -> Void)] = [
      ("picture", { $0.picture = nil }), ("picture", { $0.picture = .init(width: 640) }),
      ("region", { $0.region = Region(x: 0.9, width: 0.9, height: 1) }),
      ("orientation", { $0.orientation = 45 }), ("gravity", { $0.gravity = .init(rawValue: 9) }),
      ("view_width", { $0.viewWidth = 0 }), ("view_height", { $0.viewHeight = 1e9 }),
      ("view_points[1]", { $0.viewPoints.append(Point(x: .nan, y: 0)) }),
      ("device_points[1]", { $0.devicePoints.append(Point(x: 1.5, y: 0)) }),
    ]
    for (field, change) in wrong {
      var request = whole
      change(&request)
      let error = await status { _ = try await fixture.video.convertPoints(request, options: bounded) }
      #expect(error?.details?.field == field, "\(error?.text ?? "not refused")")
    }
    await fixture.stop()
  }

  @Test func aWrongSettingOrRenditionNamesItsField() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let changes: [(String, CaptureWire.SettingsChange)] = [
      ("change.focus.mode", .init(focus: .init(mode: .init(rawValue: 99)))),
      ("change.focus.range", .init(focus: .init(range: .init(rawValue: 99)))),
      ("change.focus.point", .init(focus: .init(point: Point(x: 2, y: 0)))),
      ("change.exposure.mode", .init(exposure: .init(mode: .init(rawValue: 99)))),
      ("change.exposure.point", .init(exposure: .init(point: Point(x: 2, y: 0)))),
      ("change.white_balance.mode", .init(whiteBalance: .init(mode: .init(rawValue: 99)))),
      ("change.torch.mode", .init(torch: .init(mode: .init(rawValue: 99)))),
      ("change.flash.mode", .init(flash: .init(mode: .init(rawValue: 99)))),
      ("change.frame_duration.minimum", .init(frameDuration: .init(minimum: .init(numerator: 1)))),
      ("change.frame_duration.maximum", .init(frameDuration: .init(maximum: .init(denominator: 1)))),
    ]
    for (field, change) in changes {
      let error = await status {
        _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: change), options: bounded)
      }
      #expect(error?.details?.field == field, "\(error?.text ?? "not refused")")
    }
    let rendition = Rendition(size: .init(width: 64, height: 48), gravity: .init(rawValue: 9))
    let error = await status {
      for try await _ in try await fixture.video.subscribe(
        SubscribeRequest(device: "0", rendition: rendition), options: bounded)
      {}
    }
    #expect(error?.details?.field == "rendition.gravity")
    let photo = await status {
      let request = CapturePhotoRequest(device: "0", settings: .init(flash: .init(rawValue: 9)))
      for try await _ in try await fixture.photos.capture(request, options: bounded) {}
    }
    #expect(photo?.details?.field == "settings.flash")
    await fixture.stop()
  }
}
