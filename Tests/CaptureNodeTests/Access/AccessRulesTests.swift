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
      try AccessRules.permit(method, request, for: caller)
      return .ok
    } catch {
      return error.code
    }
  }

  @Test func aStrangerMayOnlyPair() {
    for method in Self.methods {
      let isOpen = method == AccessMethods.pair || method == AccessMethods.status
      #expect(permits(method, nil) == (isOpen ? .ok : .unauthenticated), "\(method.name)")
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
  }
}
