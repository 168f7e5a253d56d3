/// Selects assets. What is `nil` or empty does not count.
public struct LibraryFilter: Hashable, Sendable {
  /// The camera's identity.
  public var camera: CameraID?
  /// Created then or later: nanoseconds since 1970 in UTC.
  public var from: Int64?
  /// Created before: nanoseconds since 1970 in UTC.
  public var until: Int64?
  /// An asset has to have all of these labels.
  public var labels: [String] = []
  /// `nil`: of any kind.
  public var media: LibraryAsset.MediaKind?
  /// The name of a sequence, such as a timelapse's.
  public var sequence: String?

  public init() {}
}
