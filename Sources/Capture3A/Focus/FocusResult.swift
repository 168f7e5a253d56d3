/// The end of a search for focus.
public enum FocusResult: Hashable, Sendable {
  /// The lens is where the picture is sharpest.
  case found(position: Double)
  /// Nothing around the point gets sharper at any lens position, as on a blank wall. The lens is back where it was before.
  case notFound(position: Double)
}

/// A step that focusing takes.
public enum FocusAction: Hashable, Sendable {
  /// The lens position, 0 to 1.
  case move(to: Double)
  /// A search is over. In auto mode focus is locked now.
  case finished(FocusResult)
}
