/// What a client says of an asset that it adds.
package struct NewLibraryAsset: Hashable, Sendable {
  /// When it was taken, in nanoseconds since 1970 in UTC; `nil`: now.
  package var created: Int64?
  /// The camera's identity; `nil`: not known.
  package var camera: CameraID?
  /// The name of the sequence to which the asset belongs; empty: none.
  package var sequence: String
  /// The common name of photos that belong together (`ShotName`); empty: none.
  package var shot: String
  package var labels: [String]

  package init(created: Int64?, camera: CameraID?, sequence: String, shot: String, labels: [String]) {
    (self.created, self.camera, self.sequence) = (created, camera, sequence)
    (self.shot, self.labels) = (shot, labels)
  }
}
