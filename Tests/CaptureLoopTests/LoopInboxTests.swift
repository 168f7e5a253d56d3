import CaptureSystem
import Synchronization
import Testing

@testable import CaptureLoop

@Suite struct LoopInboxTests {
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }
  private let log = Log()

  /// The inbox of a loop that works.
  private func makeInbox() -> LoopInbox {
    let inbox = LoopInbox { [log] in log.add("wake") }
    inbox.attend()
    return inbox
  }

  private func put(_ line: String, in inbox: LoopInbox) -> Bool {
    inbox.put(.block { [log] in log.add(line) })
  }

  private func perform(_ items: [LoopInbox.Item]) {
    for case .block(let body) in items { body() }
  }

  @Test func itemsAreTakenInTheirOrderAndOnce() {
    let inbox = makeInbox()
    #expect(inbox.isEmpty)
    #expect(put("a", in: inbox) && put("b", in: inbox))
    #expect(!inbox.isEmpty)
    perform(inbox.take())
    #expect(inbox.isEmpty && inbox.take().isEmpty)
    #expect(log.all == ["a", "b"])
  }

  @Test func aLoopThatRestsIsWokenOnceAndOneThatWorksIsNot() {
    let inbox = makeInbox()
    _ = put("a", in: inbox)
    perform(inbox.take())
    inbox.whileWaiting { mayWait in
      #expect(mayWait)
      _ = put("b", in: inbox)
      _ = put("c", in: inbox)
    }
    #expect(log.all == ["a", "wake"])
    perform(inbox.take())
    #expect(log.all == ["a", "wake", "b", "c"])
  }

  @Test func aLoopWithSomethingToDoMayNotWait() {
    let inbox = makeInbox()
    _ = put("a", in: inbox)
    #expect(inbox.whileWaiting { $0 } == false)
    _ = inbox.take()
    #expect(inbox.whileWaiting { $0 } == true)
  }

  @Test func aClosedInboxHandsOutWhatIsLeftAndTakesNothing() {
    let inbox = makeInbox()
    _ = put("a", in: inbox)
    perform(inbox.close())
    #expect(!put("b", in: inbox))
    #expect(inbox.isEmpty && log.all == ["a"])
  }
}
