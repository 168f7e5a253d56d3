internal import CaptureWire

/// What a node's library has, and whether it can be used.
public struct LibraryStatus: Hashable, Sendable {
  /// Whether a library can be used.
  public enum State: String, Hashable, Sendable {
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
  public var reason: String
  /// Its identity: 32 hexadecimal digits.
  public var id: String
  /// The folder on the node.
  public var root: String
  /// How many assets it has.
  public var assets: UInt64
  /// The bytes of all assets' files.
  public var bytes: UInt64
  /// `nil`: none.
  public var quota: UInt64?
  /// The age in days beyond which assets without the label "keep" are removed; `nil`: none.
  public var maximumAge: Int?
  /// How many bytes of the file system are free.
  public var free: UInt64
  /// How many bytes stay free: nothing is added that would leave less.
  public var freeFloor: UInt64
  /// Whether the oldest make room; otherwise adding is refused.
  public var removesOldest: Bool
  /// Whether files and index are still being compared.
  public var isReconciling: Bool
  /// How many files without an entry were found since the library was opened.
  public var recovered: UInt64
  /// How many entries without a file were found since then.
  public var lost: UInt64
  /// How many files that were not whole were set aside since then.
  public var setAside: UInt64
  /// The time of the oldest asset, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var oldest: Int64?
  /// The time of the newest asset, in nanoseconds since 1970 in UTC; `nil`: there is none.
  public var newest: Int64?
  /// For ``RemoteLibrary/changes(from:_:)``: from now on.
  public var token: String

  init(_ status: CaptureWire.LibraryStatus) {
    state =
      switch status.state {
      case .notConfigured: .notConfigured
      case .unavailable: .unavailable
      case .open: .open
      default: .unknown
      }
    (reason, id, root, token) = (status.reason, status.library, status.root, status.token)
    (assets, bytes) = (status.assets, status.bytes)
    quota = status.quotaBytes == 0 ? nil : status.quotaBytes
    maximumAge = status.maximumAgeDays == 0 ? nil : Int(status.maximumAgeDays)
    (free, freeFloor, removesOldest) = (status.freeBytes, status.freeBytesFloor, status.removesOldest)
    (isReconciling, recovered, lost) = (status.reconciling, status.recovered, status.lost)
    setAside = status.setAside
    oldest = status.oldestUtcNs == 0 ? nil : status.oldestUtcNs
    newest = status.newestUtcNs == 0 ? nil : status.newestUtcNs
  }
}

/// What this client may do with the library. `PHPhotoLibrary.authorizationStatus(for:)`.
public struct LibraryAuthorization: Hashable, Sendable {
  /// `PHAuthorizationStatus`.
  public enum Status: String, Hashable, Sendable {
    /// It may.
    case authorized
    /// Only what this client has added.
    case limited
    /// It may not.
    case denied
    /// A newer node has more answers.
    case unknown

    init(_ permission: LibraryPermission) {
      switch permission {
      case .authorized: self = .authorized
      case .limited: self = .limited
      case .denied: self = .denied
      default: self = .unknown
      }
    }
  }
  /// Whether it may add pictures.
  public var add: Status
  /// Whether it may list and download them.
  public var read: Status
  /// Also of labels.
  public var delete: Status
}
