import CaptureLoop
import CaptureSystem
import Synchronization
import Testing

@Suite struct QueueExecutorTests {
  /// Asks for the end of the turn so many times, one after the other.
  private final class Participant: TurnParticipant {
    private let executor: QueueExecutor
    private let state: Mutex<(left: Int, ends: Int)>

    init(_ executor: QueueExecutor, times: Int) {
      self.executor = executor
      state = Mutex((times, 0))
    }

    var ends: Int { state.withLock { $0.ends } }

    func turnEnds() {
      let goesOn = state.withLock { state in
        state.ends += 1
        state.left -= 1
        return state.left > 0
      }
      if goesOn { executor.atEndOfTurn(self) }
    }
  }

  @Test func aTurnKnowsThatItIsOne() {
    let executor = QueueExecutor(label: "test")
    #expect(!executor.isCurrent)
    executor.queue.sync { executor.run { #expect(executor.isCurrent) } }
    #expect(!executor.isCurrent)
  }

  @Test func aTurnEndsOnceForAllThatIsInIt() {
    let executor = QueueExecutor(label: "test")
    let participant = Participant(executor, times: 1)
    executor.queue.sync {
      executor.run {
        executor.run { executor.atEndOfTurn(participant) }
        #expect(participant.ends == 0)
      }
      #expect(participant.ends == 1)
    }
  }

  @Test func whatTheEndBringsAboutStillBelongsToTheTurn() {
    let executor = QueueExecutor(label: "test")
    let participant = Participant(executor, times: 3)
    executor.queue.sync {
      executor.run { executor.atEndOfTurn(participant) }
      #expect(participant.ends == 3)
    }
  }

  @Test func aTurnWithoutEndLetsTheQueuesOthersPass() {
    let executor = QueueExecutor(label: "test")
    let participant = Participant(executor, times: 1_000)
    let seen = executor.queue.sync {
      executor.run { executor.atEndOfTurn(participant) }
      return participant.ends
    }
    #expect(seen > 0 && seen < 1_000)
    for _ in 0..<1_000 where participant.ends < 1_000 { executor.queue.sync {} }
    #expect(participant.ends == 1_000)
  }

  @Test func tasksThatPreferTheQueueRunOnIt() async {
    let executor = QueueExecutor(label: "test")
    let isCurrent = await Task(executorPreference: QueueTaskExecutor(executor)) { executor.isCurrent }.value
    #expect(isCurrent)
  }
}
