/// The library of a node, as its configuration describes it.
public struct LibraryConfiguration: Hashable, Sendable {
  /// The folder. It is used only with the mark that ``LibraryRoot/initialise(_:)`` makes, so that nothing is written where a disk is not mounted.
  public var root: String
  /// Whether the folder is the node's own. Then the node makes it.
  public var makesRoot = false
  /// The most bytes of files; `nil`: no bound.
  public var quota: Int64?
  /// The age in days beyond which assets are removed, unless they have the label "keep"; `nil`: never.
  public var maximumAge: Int?
  /// The bytes of the file system that have to stay free.
  public var freeFloor: Int64 = 100_000_000
  /// Whether the oldest assets are removed where there is no room for a new one; otherwise adding is refused.
  public var removesOldest = false

  public init(root: String) { self.root = root }
}
