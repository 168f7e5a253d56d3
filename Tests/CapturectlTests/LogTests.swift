import CaptureModel
import CaptureSystem
import Glibc
import Testing

@testable import capture_node

@Suite struct LogQueueTests {
  private func entries(_ queue: inout LogQueue) -> [LogQueue.Entry] {
    var all: [LogQueue.Entry] = []
    while let entry = queue.next() { all.append(entry) }
    return all
  }

  /// Whether each line is one more entry to take.
  private func add(_ lines: String..., to queue: inout LogQueue) -> [Bool] {
    var added: [Bool] = []
    for line in lines { added.append(queue.add(line)) }
    return added
  }

  @Test func linesComeInTheirOrder() {
    var queue = LogQueue()
    let added = add("1", "2", to: &queue)
    let first = queue.next()
    let another = add("3", to: &queue)
    let rest = entries(&queue)
    #expect(added == [true, true] && another == [true])
    #expect(first == .line("1") && rest == [.line("2"), .line("3")] && queue.bytes == 0)
  }

  @Test func whatHasNoRoomIsCountedInItsPlace() {
    var queue = LogQueue(most: 4)
    let added = add("12", "34", "56", "7", "8", to: &queue)
    let first = queue.next()
    // There is room again.
    let another = add("9", "10", "11", to: &queue)
    let rest = entries(&queue)
    #expect(added == [true, true, true, false, false] && another == [true, true, false])
    #expect(first == .line("12") && rest == [.line("34"), .dropped(3), .line("9"), .dropped(2)])
    let last = add("12", to: &queue)
    let all = entries(&queue)
    #expect(last == [true] && all == [.line("12")])
  }

  @Test func aLineThatIsRequiredIsNotDropped() {
    var queue = LogQueue(most: 4)
    _ = queue.add("1234")
    let isAdded = queue.add("5", isRequired: true)
    _ = queue.add("6")
    let all = entries(&queue)
    #expect(isAdded && all == [.line("1234"), .line("5"), .dropped(1)])
  }

  @Test func soManyBytesWaitForTheLogAndNoMore() {
    var queue = LogQueue()
    for number in 0..<20_000 { _ = queue.add("a line of the log, the one with number \(number)\n") }
    #expect(queue.bytes <= NodeLimit.logBytes.usual && queue.bytes > NodeLimit.logBytes.usual - 100)
    let all = entries(&queue)
    #expect(all.last == .dropped(20_000 - (all.count - 1)))
  }
}

@Suite(.timeLimit(.minutes(1))) struct LogWriterTests {
  /// A pipe. What its writing end takes without a reader is the kernel's affair, and less than a megabyte.
  private struct Pipe: ~Copyable {
    let reader: OwnedDescriptor
    let writer: OwnedDescriptor

    init() {
      var ends: (Int32, Int32) = (-1, -1)
      _ = withUnsafeMutableBytes(of: &ends) { pipe($0.bindMemory(to: Int32.self).baseAddress!) }
      reader = OwnedDescriptor(owning: ends.0)
      writer = OwnedDescriptor(owning: ends.1)
    }

    /// How many bytes it holds.
    var waitingBytes: Int {
      var count: Int32 = 0
      return ioctl(reader.raw, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
    }

    /// Reads up to a line that ends so.
    func lines(upTo end: String) -> [Substring] {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !String(decoding: bytes, as: UTF8.self).hasSuffix(end) {
        let count = read(reader.raw, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
  }

  @Test func nothingWaitsForAReaderThatReadsNothing() {
    let pipe = Pipe()
    let log = LogWriter(to: pipe.writer.raw) { "\($0) dropped\n" }
    let line = String(repeating: "x", count: 999) + "\n"
    for _ in 0..<2_000 { log.add(line) }
    #expect(!log.flush(atMost: .milliseconds(50)))
    // It is short, and has room.
    log.add("last\n")
    // Now there is a reader.
    let lines = pipe.lines(upTo: "last\n")
    // Where the pipe took lines while others came, there is more than one gap.
    let dropped = lines.filter { $0.hasSuffix(" dropped") }.map { Int($0.prefix { $0.isNumber }) ?? 0 }
    let written = lines.count { $0.hasPrefix("x") }
    #expect(!dropped.isEmpty && dropped.reduce(written, +) == 2_000 && lines.last == "last")
    log.add("after it\n")
    #expect(pipe.lines(upTo: "it\n") == ["after it"])
    #expect(log.flush(atMost: .seconds(30)))
  }

  @Test func whoeverHasALineWrittenKnowsThatItIs() {
    let pipe = Pipe()
    let log = LogWriter(to: pipe.writer.raw) { "\($0) dropped\n" }
    log.add("first\n")
    log.write("second\n")
    // Both are in the pipe, before anybody waits for them.
    let waiting = pipe.waitingBytes
    #expect(waiting == "first\nsecond\n".utf8.count)
    #expect(pipe.lines(upTo: "second\n") == ["first", "second"])
  }
}
