/// How the node's library keeps a photo.
public enum PhotoStoring: CaseIterable, Hashable, Sendable {
  /// It is kept, and delivered once it is durable.
  case also
  /// It is kept; its ``CapturedPhoto/payload`` is empty.
  case only
}
