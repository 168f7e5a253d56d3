/// How a search for focus ended.
public enum FocusResult: Hashable, Sendable {
  /// The lens is where the picture is sharpest.
  case found(position: Double)
  /// Nothing around the point gets sharper anywhere, as on a blank wall: the lens is back where it was before.
  case notFound(position: Double)
}

/// What focusing asks for.
public enum FocusAction: Hashable, Sendable {
  /// 0…1.
  case move(to: Double)
  /// A search is over: in mode auto it is locked now.
  case finished(FocusResult)
}
