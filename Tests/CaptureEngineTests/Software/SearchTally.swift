import Foundation
import Testing

/// What searches of one kind ended with.
struct SearchTally {
  let kind: String
  private var right = 0
  private var failed = 0
  private var wrong: [String] = []
  private var worst = 0.0
  private var frames: [Int] = []

  init(_ kind: String) { self.kind = kind }

  var hasFailed: Bool { failed > 0 }

  mutating func add(_ error: Double, most: Double, failure: String?, _ frames: Int, _ name: String) {
    if let failure {
      failed += 1
      print("  \(kind), \(name): failed after \(frames) frames: \(failure)")
    } else if error <= most {
      (right, worst) = (right + 1, max(worst, error))
    } else {
      wrong.append("\(kind), \(name): off by \(error) after \(frames) frames")
    }
    self.frames.append(frames)
  }

  /// None may be wrong. 3 of 100 may fail; of fewer than 34, as of the scenes that are done by default, none.
  func conclude(_ delay: Int) {
    print("delay \(delay), \(kind): \(text)")
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    #expect(failed * 100 <= 3 * frames.count, "\(kind): \(failed) of \(frames.count) failed")
  }

  private var text: String {
    let sorted = frames.sorted()
    return "\(right) right, off by \(Self.text(worst)) at most, \(failed) failed, "
      + "\(wrong.count) wrong; "
      + "\(sorted[sorted.count / 2]) frames in the middle, \(sorted[sorted.count * 95 / 100]) of 95 %, "
      + "\(sorted.last!) at most"
  }

  static func text(_ number: Double) -> String { String(format: "%.3f", number) }
}
