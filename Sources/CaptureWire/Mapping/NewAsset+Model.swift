package import CaptureModel

extension NewAsset {
  package init(_ asset: NewLibraryAsset) {
    self.init(
      createdUtcNs: asset.created ?? 0, device: asset.camera?.rawValue ?? "", sequence: asset.sequence,
      shot: asset.shot, labels: asset.labels)
  }

  package var model: NewLibraryAsset {
    NewLibraryAsset(
      created: createdUtcNs == 0 ? nil : createdUtcNs,
      camera: device.isEmpty ? nil : CameraID(rawValue: device),
      sequence: sequence, shot: shot, labels: labels)
  }
}

extension NewResource {
  package init(_ resource: LibraryResource) {
    self.init(mediaType: resource.mediaType, bytes: resource.bytes, sha256: resource.sha256 ?? [])
  }

  /// The resource, which has no file in the library yet.
  package var model: LibraryResource {
    LibraryResource(mediaType: mediaType, bytes: bytes, sha256: sha256.isEmpty ? nil : sha256, file: "")
  }
}
