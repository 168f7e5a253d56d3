import CaptureControls
import CaptureModel
import Testing

@testable import CaptureSynthetic

struct SyntheticControlsTests {
  let camera = SyntheticCamera(.standard, index: 0) { _ in }

  private func value(_ id: ControlID) async throws -> ControlValue { try await camera.values(of: [id])[0] }

  @Test func valuesAreKept() async throws {
    try await camera.set([ControlAssignment(ControlID.gain, .integer(12))])
    #expect(try await value(ControlID.gain) == .integer(12))
  }

  @Test func exposureIsInactiveWhileAutomatic() async throws {
    let set = [ControlAssignment(ControlID.exposureAbsolute, .integer(100))]
    let error = await #expect(throws: CaptureError.self) { try await camera.set(set) }
    #expect(error?.code == .failedPrecondition)
    try await camera.set([ControlAssignment(ControlID.autoExposure, .integer(1))] + set)
    #expect(try await value(ControlID.exposureAbsolute) == .integer(100))
    let flags = try await camera.controls().first { $0.id == ControlID.exposureAbsolute }?.flags
    #expect(flags == [])
  }

  @Test func failedSetLeavesEverythingAsItWas() async throws {
    let error = await #expect(throws: CaptureError.self) {
      try await camera.set([
        ControlAssignment(ControlID.gain, .integer(12)),
        ControlAssignment(ControlID.contrast, .integer(256)),
      ])
    }
    #expect(error?.code == .outOfRange)
    #expect(error?.message == "contrast 256: it takes 0 to 255")
    #expect(try await value(ControlID.gain) == .integer(0))
  }

  @Test func menuHasHoles() async throws {
    let error = await #expect(throws: CaptureError.self) {
      try await camera.set([ControlAssignment(ControlID.autoExposure, .integer(2))])
    }
    #expect(error?.message == "auto_exposure 2: it takes 1, 3")
  }

  @Test func unknownControlIsRefused() async throws {
    let error = await #expect(throws: CaptureError.self) { try await value(ControlID(rawValue: 7)) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func observerHearsOfExposure() async throws {
    try await confirmation { heard in
      await camera.observeControls {
        #expect($0 == ControlChange(id: ControlID.exposureAbsolute, value: nil, flags: []))
        heard()
      }
      try await camera.set([ControlAssignment(ControlID.autoExposure, .integer(1))])
    }
  }

  @Test func namesFollowTheLabels() async throws {
    let names = try await camera.controls().map(\.name)
    #expect(names.contains("fault_stall_ms"))
    #expect(Set(names).count == names.count)
  }
}
