import CaptureSystem
import Glibc
import Testing

@testable import CaptureLoop

@Suite struct LoopPollTests {
  private final class Source: LoopSource {
    var handler: (Readiness) -> Void = { _ in }
    func ready(_ readiness: Readiness) { handler(readiness) }
  }

  /// A pipe with a byte in it.
  private final class Pipe {
    private var ends: [Int32] = [0, 0]
    var reading: Int32 { ends[0] }

    init() {
      precondition(pipe(&ends) == 0)
      var byte: UInt8 = 1
      precondition(write(ends[1], &byte, 1) == 1)
    }
    deinit { for end in ends { close(end) } }
  }

  @Test func whatCannotBeWatchedIsAnErrorAndTakesNoPlace() throws {
    let (poll, pipe, source) = (try LoopPoll(), Pipe(), Source())
    var calls = 0
    source.handler = { _ in calls += 1 }
    let file = try OwnedDescriptor(path: "/proc/self/exe", flags: O_RDONLY)
    #expect(throws: Errno(rawValue: EPERM)) { try poll.add(file.raw, source) }
    #expect(throws: Errno(rawValue: EBADF)) { try poll.add(-1, source) }
    let place = try poll.add(pipe.reading, source)
    #expect(throws: Errno(rawValue: EEXIST)) { try poll.add(pipe.reading, source) }
    poll.tell(poll.wait(nanoseconds: 0))
    #expect(calls == 1)
    poll.remove(place)
    poll.tell(poll.wait(nanoseconds: 0))
    #expect(calls == 1)
  }

  @Test func aSourceThatAnotherOneRemovesHearsNothingInThatRound() throws {
    let (poll, pipes, sources) = (try LoopPoll(), [Pipe(), Pipe()], [Source(), Source()])
    let places = try zip(pipes, sources).map { try poll.add($0.reading, $1) }
    var calls: [Int] = []
    for index in 0..<2 {
      sources[index].handler = { _ in
        calls.append(index)
        poll.remove(places[1 - index])
      }
    }
    let count = poll.wait(nanoseconds: .max)
    #expect(count == 2)
    poll.tell(count)
    #expect(calls.count == 1)
  }

  @Test func aPlaceThatIsUsedAgainIsNotCalledForWhatWasThere() throws {
    let (poll, pipe, other, old, new) = (try LoopPoll(), Pipe(), Pipe(), Source(), Source())
    old.handler = { _ in Issue.record("it was removed") }
    var calls = 0
    new.handler = { _ in calls += 1 }
    let place = try poll.add(pipe.reading, old)
    let count = poll.wait(nanoseconds: .max)
    poll.remove(place)
    _ = try poll.add(other.reading, new)
    poll.tell(count)
    #expect(calls == 0)
    poll.tell(poll.wait(nanoseconds: .max))
    #expect(calls == 1)
  }

  @Test func theTimeOfJobsThatAreLeftIsChargedToWhoCausedThem() throws {
    let (poll, pipe, source, account) = (try LoopPoll(), Pipe(), Source(), LoopAccount())
    _ = try poll.add(pipe.reading, source, account: account)
    poll.collect(poll.wait(nanoseconds: .max), at: 0)
    #expect(poll.serve(at: 1_000, hasWork: false))
    poll.endTurn(at: 3_000, without: 500, goesOn: true)
    #expect(account.spent == 1_500)
    // What the loop did until 10,000, as firing timers, is nobody's. Nobody is served meanwhile, though the pipe is readable.
    poll.collect(poll.wait(nanoseconds: .max), at: 10_000)
    #expect(!poll.serve(at: 10_000, hasWork: true) && poll.hasReady)
    poll.endTurn(at: 11_000, without: 0, goesOn: false)
    #expect(account.spent == 2_500)
    poll.endTurn(at: 99_000, without: 0, goesOn: false)
    #expect(account.spent == 2_500)
    #expect(poll.serve(at: 99_000, hasWork: false))
  }

  @Test func whatIsClosedTouchesNobodyWhoHasItsNumbers() throws {
    let (poll, pipe, source) = (try LoopPoll(), Pipe(), Source())
    let place = try poll.add(pipe.reading, source)
    poll.close()
    // Most likely it has them.
    let next = try LoopPoll()
    _ = try next.add(pipe.reading, source)
    poll.remove(place)
    poll.ring()
    poll.close()
    #expect(throws: Errno(rawValue: EBADF)) { try poll.add(pipe.reading, source) }
    #expect(poll.wait(nanoseconds: 1) < 0 && poll.wait(nanoseconds: .max) < 0)
    #expect(next.wait(nanoseconds: 0) == 1)
  }
}

extension LoopPoll {
  /// Tells all that the latest wait found ready.
  fileprivate func tell(_ count: Int) {
    collect(count, at: 0)
    while serve(at: 0, hasWork: false) {}
  }
}
