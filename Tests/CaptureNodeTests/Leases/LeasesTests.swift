import CaptureModel
import Testing

@testable import CaptureNode

@Suite struct LeasesTests {
  @Test func whoeverWaitsGetsALeaseThatIsRenewedForAShorterTime() async throws {
    var limits = LeaseLimits()
    limits.waiters = 1
    let leases = Leases(limits: limits)
    let camera = CameraID(rawValue: "cam")
    @Sendable func acquire(_ holder: String, patience: Duration = .zero) async throws(CaptureError) -> Lease {
      try await leases.acquire(
        LeaseRequest(camera: camera, holder: holder, duration: .seconds(600), patience: patience))
    }
    let first = try await acquire("a")
    let second = Task { try await acquire("b", patience: .seconds(600)) }
    defer { second.cancel() }
    await eventually("it waits") {
      // Another one finds no room.
      do throws(CaptureError) { _ = try await acquire("c") } catch { return error.code == .resourceExhausted }
      return false
    }
    _ = try leases.renew(first.token, for: .milliseconds(100))
    await eventually("it has the camera") { leases.leases.map(\.holder) == ["b"] }
  }
}
