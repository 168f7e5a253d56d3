import CaptureWire
import Foundation

/// How often something is done at random: as often as usual, or as `CAPTURE_ROUNDS` in the environment says (scripts/test, under a sanitizer).
func rounds(_ usual: Int) -> Int {
  ProcessInfo.processInfo.environment["CAPTURE_ROUNDS"].flatMap { Int($0) } ?? usual
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

protocol RandomValue {
  static func random(from source: inout RandomSource) -> Self
}

/// A message that can fill itself. Generated for every message of the contract.
protocol RandomMessage: WireMessage, RandomValue {}

extension FixedWidthInteger {
  /// Often one of the values at the edges.
  static func random(from source: inout RandomSource) -> Self {
    [0, 1, .min, .max, Self(truncatingIfNeeded: source.next())][source.below(5)]
  }
}

extension UInt8: RandomValue {}
extension UInt32: RandomValue {}
extension UInt64: RandomValue {}
extension Int64: RandomValue {}

extension RawRepresentable where RawValue == UInt32 {
  static func random(from source: inout RandomSource) -> Self { Self(rawValue: .random(from: &source))! }
}

extension Bool: RandomValue {
  static func random(from source: inout RandomSource) -> Bool { source.below(2) == 1 }
}

extension Double: RandomValue {
  static func random(from source: inout RandomSource) -> Double {
    [0, 29.97, -.infinity, .leastNonzeroMagnitude, Double(source.next())][source.below(5)]
  }
}

extension String: RandomValue {
  static func random(from source: inout RandomSource) -> String {
    ["", "porch", "Caméra № 1", "📷\u{10ffff}", String(repeating: "long ", count: 500)][source.below(5)]
  }
}

extension Array: RandomValue where Element: RandomValue {
  static func random(from source: inout RandomSource) -> [Element] {
    (0..<[0, 1, 5, 40][source.below(4)]).map { _ in .random(from: &source) }
  }
}

extension Optional: RandomValue where Wrapped: RandomValue {
  static func random(from source: inout RandomSource) -> Wrapped? {
    source.below(4) == 0 ? nil : Wrapped.random(from: &source)
  }
}
