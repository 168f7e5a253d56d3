import CaptureModel
import CaptureWire
import Testing

@testable import CaptureNode

@Suite struct AccessRulesTests {
  static let methods = [
    AccessMethods.all, DevicesMethods.all, JobsMethods.all, LeasesMethods.all, LibraryMethods.all,
    NodeMethods.all, PhotosMethods.all, SessionsMethods.all,
    SettingsMethods.all, TestMethods.all, VideoMethods.all,
  ].flatMap { $0 }

  @Test func everyMethodOfTheContractHasARule() throws {
    // The list above is whole: it has every service for which there is generated code.
    let path = #filePath.replacing(
      "Tests/CaptureNodeTests/Access/AccessRulesTests.swift", with: "proto/baseline.txt")
    let baseline = try String(contentsOfFile: path, encoding: .utf8)
    let named = baseline.split(separator: "\n").filter { $0.hasPrefix("method ") }.map {
      String($0.dropFirst("method ".count).prefix { $0 != ":" })
    }
    #expect(!named.isEmpty)
    #expect(Set(named) == Set(AccessRules.rules.keys))
    #expect(Set(Self.methods.map(\.name)) == Set(named))
  }

  func permits(_ method: MethodDescriptor, _ role: AccessRole?, _ request: (any WireMessage)? = nil)
    -> StatusCode
  {
    let caller = role.map { Caller(.client, name: "laptop", role: $0) } ?? .unknown
    do throws(RPCError) {
      _ = try AccessRules.permit(method, request, for: caller)
      return .ok
    } catch {
      return error.code
    }
  }

  @Test func aStrangerMayOnlyPair() {
    for method in Self.methods {
      #expect(
        permits(method, nil) == (method == AccessMethods.pair ? .ok : .unauthenticated), "\(method.name)")
    }
  }

  @Test func eachRoleMayWhatTheOneBelowItMay() {
    for method in Self.methods {
      let may = AccessRole.allCases.map { permits(method, $0) == .ok }
      #expect(may[2], "\(method.name)")
      #expect(!may[0] || may[1], "\(method.name)")
    }
    #expect(permits(VideoMethods.subscribe, .view) == .ok)
    #expect(permits(SettingsMethods.set, .view) == .permissionDenied)
    #expect(permits(SettingsMethods.set, .control) == .ok)
    #expect(permits(AccessMethods.newPairing, .control) == .permissionDenied)
  }

  @Test func aUserOfTheMachineWhoIsNoAdminIsToldOfSudo() {
    func refusal(of caller: Caller, _ method: MethodDescriptor) -> String? {
      do throws(RPCError) {
        _ = try AccessRules.permit(method, nil, for: caller)
        return nil
      } catch {
        return error.text
      }
    }
    let member = Caller(.user(1000), name: "user 1000", role: .control)
    for method in [AccessMethods.newPairing, AccessMethods.clients, AccessMethods.reload] {
      #expect(refusal(of: member, method)?.hasSuffix("admins: use sudo") == true, "\(method.name)")
      // On another machine there is nothing to do with sudo.
      let client = Caller(.client, name: "laptop", role: .control)
      #expect(refusal(of: client, method)?.hasSuffix("needs admin") == true, "\(method.name)")
    }
    // The kernel says who it is, so there is nothing to pair.
    let other = Caller(.user(1001), name: "user 1001", role: nil)
    for method in [AccessMethods.clients, DevicesMethods.list] {
      let text = refusal(of: other, method)
      #expect(text?.hasPrefix("user 1001 is not in the group of the node's Unix socket") == true)
      #expect(text?.hasSuffix("admins: use sudo") == true, "\(method.name)")
    }
  }

  /// One that names no mode is let through, and taken without the flash (`ViewersFlashTests`).
  @Test func aPhotoWithTheFlashNeedsControl() {
    for (light, code) in [
      (LightMode.unspecified, StatusCode.ok), (.off, .ok), (.on, .permissionDenied),
      (.auto, .permissionDenied),
    ] {
      #expect(
        permits(PhotosMethods.capture, .view, CapturePhotoRequest(settings: .init(flash: light))) == code)
    }
    #expect(permits(PhotosMethods.capture, .control, CapturePhotoRequest(settings: .init(flash: .on))) == .ok)
    let bracket = CapturePhotoRequest(settings: .init(bracket: [.init(compensation: .bias(1))]))
    #expect(permits(PhotosMethods.capture, .view, bracket) == .permissionDenied)
    #expect(permits(PhotosMethods.capture, .control, bracket) == .ok)
    #expect(permits(PhotosMethods.capture, .view, CapturePhotoRequest(settings: .init(burst: 2))) == .ok)
    for (way, code) in [
      (CaptureWire.FullSize.stream, StatusCode.ok), (CaptureWire.FullSize.switch, .permissionDenied),
      (CaptureWire.FullSize.big, .permissionDenied),
    ] {
      let request = CapturePhotoRequest(settings: .init(fullSize: way))
      #expect(permits(PhotosMethods.capture, .view, request) == code)
    }
  }

  /// It controls the cameras of port a, and sees the others and what is kept of all.
  static let desk: Caller = {
    var caller = Caller(.client, name: "desk", role: .control)
    caller.grants = [
      AccessGrant(.control, cameras: CameraScope(["usb-a*"]), media: [.video]), AccessGrant(.view),
    ]
    return caller
  }()

  @Test func aCallHasTheCamerasForWhichItsCallerHasTheRole() throws {
    let set = try AccessRules.permit(SettingsMethods.set, SetSettingsRequest(), for: Self.desk)
    #expect(set.cameras == CameraScope(["usb-a*"]))
    #expect(set.visible == .every)
    let get = try AccessRules.permit(SettingsMethods.get, GetSettingsRequest(), for: Self.desk)
    #expect(get.cameras.isEvery)
    #expect(throws: RPCError.self) {
      try AccessRules.permit(LibraryMethods.delete, AssetIds(), for: Self.desk)
    }
    #expect(try AccessRules.permit(LibraryMethods.list, ListAssetsRequest(), for: Self.desk).cameras.isEvery)
    #expect(Self.desk.role(in: .library) == .view)
    #expect(Self.desk.role(in: .video) == .control)
  }

  @Test func whatACallSawIsOverWithOtherGrants() throws {
    let own = [AccessGrant(.view, cameras: CameraScope(["usb-*"]))]
    let caller = Caller(.client, name: "door", role: .view).having(own)
    let call = try #require(caller.withCameras(for: .view, in: .video))
    #expect(call.visible == CameraScope(["usb-*"]))
    #expect(call.having([AccessGrant(.view)]).visible == .every)
  }

  /// A photo with the flash is one for the cameras that it controls.
  @Test func theRequestSaysWhichRoleItNeeds() throws {
    let lit = try AccessRules.permit(
      PhotosMethods.capture, CapturePhotoRequest(settings: .init(flash: .on)), for: Self.desk)
    #expect(lit.cameras == CameraScope(["usb-a*"]))
    let plain = try AccessRules.permit(PhotosMethods.capture, CapturePhotoRequest(), for: Self.desk)
    #expect(plain.cameras.isEvery)
  }

  @Test func whoHasTheLibraryAloneSeesNoCamera() {
    var caller = Caller(.client, name: "archive", role: .view)
    caller.grants = [AccessGrant(.view, cameras: CameraScope(["usb-*"]), media: [.library])]
    #expect(caller.withCameras(for: .view, in: .video) == nil)
    #expect(caller.withCameras(for: .view, in: .library)?.cameras == CameraScope(["usb-*"]))
    #expect(caller.withCamerasSeen(in: .library).visible == CameraScope(["usb-*"]))
    let narrowed = caller.withCamerasSeen(in: .video)
    for scope in [narrowed.cameras, narrowed.visible] {
      #expect(!scope.isEvery && !scope.contains(camera: "usb-1"))
    }
    #expect(throws: RPCError.self) {
      try AccessRules.permit(VideoMethods.subscribe, SubscribeRequest(), for: caller)
    }
  }
}
