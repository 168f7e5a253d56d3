import CCaptureShims
import Testing

@testable import CaptureWire

/// The longest envelope that a peer may send, filled with what takes most for its bytes.
@Suite struct DecodingMemoryTests {
  private static let most = 64 << 20
  private static let input = PacketLimits.client.envelope
  /// What a message's bytes are in while it is decoded: an array that grew to twice their number, and the body that was taken out of it.
  private static let carried = 3 * input

  private struct Filling {
    let type: any RandomMessage.Type
    /// An element of a repeated field.
    let element: [UInt8]
    /// Bytes that the message keeps of one.
    let kept: Int
  }

  @Test func whatOneMessageTakesIsBounded() {
    // The more is kept of an element the more it takes for its share of the budget.
    let all = everyMessage.flatMap { self.fillings(of: $0) }.sorted { $0.kept > $1.kept }
    var largest = 0
    for filling in all.prefix(16) {
      let kept = mostKept(filling)
      largest = max(largest, kept)
      #expect(
        Self.carried + Arena.decodingBudget(Self.input) + kept <= Self.most,
        "\(filling.type.protoName) of elements \(filling.element) keeps \(kept >> 10) KiB")
    }
    // What is measured is there.
    #expect(largest > Arena.decodingBudget(Self.input))
  }

  /// For each repeated field the empty element, and the one with one field in it that takes most.
  private func fillings(of type: any RandomMessage.Type) -> [Filling] {
    let few = 200
    var fillings: [Filling] = []
    for field in Self.fields {
      let empty = Self.field(field, [])
      let least = kept(type, empty, count: few) / few
      guard least > 7 else { continue }
      fillings.append(Filling(type: type, element: empty, kept: least))
      var most = fillings.last!
      for inner in Self.fields {
        for content in [[], [65]] as [[UInt8]] {
          let element = Self.field(field, Self.field(inner, content))
          let more = kept(type, element, count: few) / few
          if more > most.kept { most = Filling(type: type, element: element, kept: more) }
        }
      }
      if most.kept > least { fillings.append(most) }
    }
    return fillings
  }

  /// Bytes that the largest message of these elements keeps that can be decoded.
  private func mostKept(_ filling: Filling) -> Int {
    // protobuf-c takes no less of an element.
    var count = min(Self.input / filling.element.count, Arena.decodingBudget(Self.input) / 40)
    while count > 0 {
      let kept = kept(filling.type, filling.element, count: count)
      if kept > 0 { return kept }
      count -= max(count / 8, 1)
    }
    return 0
  }

  /// Bytes that a message of so many such elements keeps; 0 when it does not parse.
  private func kept(_ type: any RandomMessage.Type, _ element: [UInt8], count: Int) -> Int {
    var bytes = element
    while bytes.count < count * element.count { bytes += bytes.prefix(count * element.count - bytes.count) }
    let before = allocated()
    return (try? type.init(RawMessage(body: bytes))).map { message in
      withExtendedLifetime(message) { allocated() - before }
    } ?? 0
  }

  private static let fields = 1...22

  /// A field that holds bytes or a message.
  private static func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    let tag = number << 3 | 2
    return (tag < 128 ? [UInt8(tag)] : [UInt8(tag & 127 | 128), UInt8(tag >> 7)]) + content.counted
  }
}

extension [UInt8] {
  fileprivate var counted: [UInt8] { [UInt8(count)] + self }
}

/// Bytes that this process has of malloc.
private func allocated() -> Int {
  let info = mallinfo2()
  return Int(info.uordblks + info.hblkhd)
}
