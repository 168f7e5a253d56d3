public import CaptureModel

extension PhotoMetadata {
  public init(_ metadata: CaptureModel.PhotoMetadata) {
    self.init(
      imageUniqueID: metadata.imageID, node: metadata.node, device: metadata.camera.rawValue,
      make: metadata.make ?? "", model: metadata.model, bodySerialNumber: metadata.serial,
      bodySerialNumberProvenance: Provenance(metadata.serialProvenance),
      exposureMode: ExposureMode(metadata.exposureMode),
      whiteBalanceMode: WhiteBalanceMode(metadata.whiteBalanceMode), flashMode: LightMode(metadata.flashMode),
      noFlash: metadata.hasNoFlash, lens: metadata.lens.map { Lens($0) },
      location: metadata.location.map { GeographicLocation($0) }, taken: metadata.taken.map { UtcTime($0) },
      utcOffsetS: Int64(metadata.utcOffset), tags: PhotoTag.list(metadata.tags),
      exifOrientation: UInt32(metadata.display.exifOrientation), sequence: metadata.sequence?.name ?? "",
      place: metadata.sequence.map { SequencePlace($0.place) }, shot: metadata.shot ?? "",
      bracket: metadata.sequence?.bracket.map { BracketOutcome($0) })
  }

  /// The metadata that the node sent. A tag that only newer nodes know is left out. This is not called `model`, since the message has a field of that
  /// name.
  package var values: CaptureModel.PhotoMetadata {
    var metadata = CaptureModel.PhotoMetadata(
      imageID: imageUniqueID, node: node, camera: CameraID(rawValue: device), make: make.isEmpty ? nil : make,
      model: model, serial: bodySerialNumber, serialProvenance: bodySerialNumberProvenance.model)
    metadata.exposureMode = exposureMode.known
    metadata.whiteBalanceMode = whiteBalanceMode.known
    metadata.flashMode = flashMode.known
    metadata.hasNoFlash = noFlash
    metadata.lens = lens?.values
    metadata.location = location?.model
    metadata.taken = taken?.model
    metadata.utcOffset = Int(clamping: utcOffsetS)
    metadata.display = PictureTransform(exifOrientation: Int(exifOrientation)) ?? .identity
    metadata.shot = shot.isEmpty ? nil : shot
    metadata.sequence = place.map { SequenceMember(sequence, $0.model, bracket: bracket?.model) }
    for tag in tags {
      if let name = CaptureModel.PhotoTag(rawValue: tag.name) { metadata.tags[name] = tag.value }
    }
    return metadata
  }
}

extension Lens {
  fileprivate init(_ lens: CaptureModel.Lens) {
    self.init(
      make: lens.make ?? "", model: lens.model ?? "", focalLengthMm: lens.focalLength ?? 0,
      focalLength35mm: UInt32(clamping: lens.focalLengthIn35mm ?? 0), fNumber: lens.fNumber ?? 0)
  }

  fileprivate var values: CaptureModel.Lens {
    CaptureModel.Lens(
      make: make.isEmpty ? nil : make, model: model.isEmpty ? nil : model,
      focalLength: focalLengthMm > 0 ? focalLengthMm : nil,
      focalLengthIn35mm: focalLength35mm > 0 ? Int(focalLength35mm) : nil,
      fNumber: fNumber > 0 ? fNumber : nil)
  }
}

extension GeographicLocation {
  fileprivate init(_ location: CaptureModel.GeographicLocation) {
    self.init(
      latitude: location.latitude, longitude: location.longitude,
      altitude: location.altitude.map { Observed(value: $0, provenance: .reported) })
  }

  fileprivate var model: CaptureModel.GeographicLocation {
    CaptureModel.GeographicLocation(
      latitude: latitude, longitude: longitude, altitude: altitude?.value)
  }
}
