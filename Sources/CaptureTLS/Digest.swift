internal import COpenSSL

/// The SHA-256 of some bytes: of a secret, a code or a public key. Two digests are compared in a time that does not depend on where they differ.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// 32 bytes.
  public static let count = 32
  /// 32 bytes.
  public let bytes: [UInt8]

  /// Hashes bytes.
  public init(of data: some Sequence<UInt8>) {
    let data = Array(data)
    bytes = [UInt8](unsafeUninitializedCapacity: Self.count) { buffer, count in
      _ = data.withUnsafeBufferPointer { SHA256($0.baseAddress, $0.count, buffer.baseAddress) }
      count = Self.count
    }
  }

  /// A digest as it was kept or sent; `nil`: it does not have 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Reads 64 hexadecimal digits, as `capture-node listen` and `capturectl node list` print a node's key; `nil`: the text is something else.
  public init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 hexadecimal digits.
  public var description: String { bytes.hexadecimal }

  /// Compares whole, in constant time.
  public static func == (a: Digest, b: Digest) -> Bool { CRYPTO_memcmp(a.bytes, b.bytes, count) == 0 }
}

extension [UInt8] {
  /// Two digits a byte, in lower case.
  public var hexadecimal: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// `nil`: the text is not an even number of hexadecimal digits.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.map {
      UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") ? $0 - 48 : Self.letter($0)
    }
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func letter(_ byte: UInt8) -> UInt8 {
    let letter = byte | 0x20
    return UInt8(ascii: "a") <= letter && letter <= UInt8(ascii: "f") ? letter - 87 : .max
  }
}
