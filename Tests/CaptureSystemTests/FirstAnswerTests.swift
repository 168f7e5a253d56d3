import CaptureSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct FirstAnswerTests {
  private struct Refusal: Error {}
  private let answer = FirstAnswer<Int, Refusal>()

  @Test func theFirstOneCounts() async throws {
    #expect(!answer.isGiven)
    #expect(answer.give(.success(1)))
    #expect(!answer.give(.failure(Refusal())) && answer.isGiven)
    #expect(try await answer.wait().get() == 1)
  }

  @Test func aTaskThatIsCancelledWaitsForItAllTheSame() async {
    let waiting = Task { await answer.wait() }
    waiting.cancel()
    #expect(answer.give(.failure(Refusal())))
    await #expect(throws: Refusal.self) { try await waiting.value.get() }
  }
}
