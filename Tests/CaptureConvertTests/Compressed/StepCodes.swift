/// How large the steps of SPCA561 were in a neighbourhood.
struct StepContext {
  private var (samples, sum) = (0, 0)

  /// The codes for the next one: the first ones, or those for steps of about that size.
  var codes: Int { samples < 7 ? 0 : 1 + ((0..<4).first { samples << $0 >= sum } ?? 4) }

  /// The last steps count more than those of long ago.
  mutating func count(_ step: Int) {
    samples += 1
    sum += min(abs(step), 15)
    if samples == 16 { (samples, sum) = (8, sum / 2) }
  }
}

/// Codes for steps of SPCA561, -19 to 19.
struct StepCodes {
  let steps: [Int]
  /// For each gain.
  let books: [Int: CodeBook]

  /// The first codes, then Rice codes with 0 to 4 bits behind the one.
  static let all = [StepCodes(first)] + (0...4).map { bits in StepCodes { rice($0, bits) } }

  private init(_ code: (Int) -> Code?) {
    let codes = (-19...19).compactMap { step in code(step).map { (step, $0) } }
    steps = codes.map(\.0)
    let gains = [1, 2, 4, 8].map { gain in
      (gain, CodeBook(differences: codes.map { ($0.1, -Self.size($0.0) * gain / 2) }))
    }
    books = Dictionary(uniqueKeysWithValues: gains)
  }

  /// What a step is worth: the larger, the coarser.
  private static func size(_ step: Int) -> Int {
    let sizes = [0, 2, 5, 8, 12, 18, 24, 32, 40, 48, 56, 64, 72, 80, 88, 98, 112, 128, 144, 160]
    return step.signum() * sizes[abs(step)]
  }

  private static func first(_ step: Int) -> Code? {
    let (size, sign) = (abs(step), step < 0 ? 1 : 0)
    return switch size {
    case 0: "0"
    case 1: step < 0 ? "101" : "111"
    case 2...3: Code("110").followed(by: sign, 1).followed(by: size - 2, 1)
    case 4...10: Code("100").followed(by: sign, 1).followed(by: size - 3, 3)
    case 11: Code("1000000").followed(by: sign, 1)
    default: nil
    }
  }

  /// 0, -1, 1, -2 …: so many zeros, a one, and the lower bits. Codes of more than 7 zeros or 9 bits there are none; the shorter Rice codes have others for what
  /// is larger.
  private static func rice(_ step: Int, _ bits: Int) -> Code? {
    let number = step < 0 ? -2 * step - 1 : 2 * step
    let zeros = number >> bits
    if zeros < 8, zeros + 1 + bits < 10 {
      return Code(1, zeros + 1).followed(by: number & (1 << bits - 1), bits)
    }
    return bits < 2 ? Code(1, 9).followed(by: step < 0 ? 1 : 0, 1).followed(by: abs(step), 5) : nil
  }
}
