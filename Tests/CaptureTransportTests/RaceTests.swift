import CaptureWire
import Testing

@testable import CaptureTransport

@Suite struct RaceTests {
  /// An address that answers nothing, until the attempt is cancelled.
  private static let dead = "dead"

  private static func attempt(_ address: String) async throws(RPCError) -> String {
    guard address == dead else { return address }
    do { try await Task.sleep(for: .seconds(60)) } catch {
      throw RPCError(.cancelled, "cancelled")
    }
    throw RPCError(.unavailable, "nobody answers")
  }

  @Test func aLivingAddressDoesNotWaitForDeadOnesBeforeIt() async throws {
    let found = try await within(.seconds(10)) {
      try await Race.first(of: [Self.dead, Self.dead, "live"], Self.attempt, discard: { _ in })
    }
    #expect(found == "live")
  }

  @Test func theMostTellingErrorIsThrown() async {
    let errors = [
      RPCError(.unavailable, "first"), RPCError(.unauthenticated, "another key", .init(.nodeChanged)),
    ]
    let thrown = await #expect(throws: RPCError.self) {
      try await Race.first(
        of: [0, 1], { (place: Int) async throws(RPCError) -> Int in throw errors[place] }, discard: { _ in })
    }
    #expect(thrown?.text == "another key")
  }
}
