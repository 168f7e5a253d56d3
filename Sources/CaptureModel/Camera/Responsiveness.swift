/// How a camera's driver answers.
public enum Responsiveness: Int, Hashable, Sendable, CaseIterable, Comparable {
  case responding
  /// One of its system calls has taken more than 2 s. Nothing is ended.
  case slow
  /// More than 10 s. What waits for it is ended, and what comes is refused, until it answers.
  case notResponding

  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
