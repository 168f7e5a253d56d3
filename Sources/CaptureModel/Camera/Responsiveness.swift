/// How a camera's driver answers.
public enum Responsiveness: Int, Hashable, Sendable, CaseIterable, Comparable {
  /// Every recent system call returned in time.
  case responding
  /// A system call has taken more than 2 s. The node ends no call for that.
  case slow
  /// A system call has taken more than 10 s. The node ends calls that wait for the camera, and refuses new ones until the driver answers.
  case notResponding

  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
