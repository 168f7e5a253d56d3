/// What a node's library has, and whether it can be used.
public struct LibraryStatus: Hashable, Sendable {
  /// Whether a library can be used.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// The node keeps no pictures.
    case notConfigured
    /// Its folder is not there, or cannot be used.
    case unavailable
    /// It can be used.
    case open
    /// A newer node has more states.
    case unknown
  }
  /// Whether it can be used.
  public var state: State
  /// Why it is not open, for a person.
  public var reason = ""
  /// Its identity: 32 hexadecimal digits.
  public var id = ""
  /// The folder on the node.
  public var root = ""
  /// How many assets it has.
  public var assets: UInt64 = 0
  /// The bytes of all assets' files.
  public var bytes: UInt64 = 0
  /// The most bytes of all assets' files; `nil`: no bound.
  public var quota: UInt64?
  /// The age in days beyond which assets without the label "keep" are removed; `nil`: none.
  public var maximumAge: Int?
  /// How many bytes of the file system are free.
  public var free: UInt64 = 0
  /// How many bytes stay free: nothing is added that would leave less.
  public var freeFloor: UInt64 = 0
  /// Whether the oldest assets are removed where there is no room for a new one; otherwise adding is refused.
  public var removesOldest = false
  /// Whether files and index are still being compared.
  public var isReconciling = false
  /// How many files without an entry were found since the library was opened.
  public var recovered: UInt64 = 0
  /// How many entries were removed since the library was opened, because their first file was gone or not whole.
  public var lost: UInt64 = 0
  /// How many files that were not whole, or belonged to no asset, were set aside since the library was opened.
  public var setAside: UInt64 = 0
  /// The time of the oldest asset, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var oldest: Int64?
  /// The time of the newest asset, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var newest: Int64?
  /// A token for the changes from now on: `RemoteLibrary.changes(from:_:)`.
  public var token = ""

  package init(_ state: State) { self.state = state }
}
