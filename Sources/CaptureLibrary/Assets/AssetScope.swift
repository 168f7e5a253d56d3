public import CaptureModel

/// The assets that somebody may see or change.
public struct AssetScope: Hashable, Sendable {
  /// Only what this client has added; `nil`: everybody's.
  public var owner: String?
  /// Only assets of these cameras. An asset without a camera is in the scope if `client` has added it, or if this is every camera.
  public var cameras: CameraScope
  /// The name of the caller in access control; empty: it has none.
  public var client: String

  public init(owner: String? = nil, cameras: CameraScope = .every, client: String = "") {
    (self.owner, self.cameras, self.client) = (owner, cameras, client)
  }

  /// The scope of every asset.
  public static let all = AssetScope()

  /// Whether every asset is in it.
  public var isAll: Bool { owner == nil && cameras.isEvery }

  func contains(_ asset: StoredAsset) -> Bool { contains(device: asset.device, addedBy: asset.addedBy) }

  func contains(device: String, addedBy: String) -> Bool {
    guard owner == nil || owner == addedBy else { return false }
    if cameras.isEvery { return true }
    return device.isEmpty ? addedBy == client : cameras.contains(camera: device)
  }

  /// The scope as conditions of an SQL statement on the index, with their values.
  var conditions: [(text: String, values: [SQLiteValue])] {
    var conditions: [(String, [SQLiteValue])] = []
    if let owner { conditions.append(("added_by = ?", [.text(owner)])) }
    guard !cameras.isEvery else { return conditions }
    let matches = cameras.patterns.map { _ in "device GLOB ?" }.joined(separator: " OR ")
    conditions.append(
      (
        "CASE device WHEN '' THEN added_by = ? ELSE (\(matches)) END",
        [.text(client)] + cameras.patterns.map { .text($0) }
      ))
    return conditions
  }
}
