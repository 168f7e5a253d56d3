import CaptureClient

extension JSON {
  init(_ metadata: PhotoMetadata) {
    self = [
      "image_unique_id": .string(metadata.imageID), "node": .string(metadata.node),
      "camera": .string(metadata.camera.rawValue), "make": JSON(metadata.make),
      "model": .string(metadata.model),
      "body_serial_number": [
        "value": .string(metadata.serial), "provenance": .string(metadata.serialProvenance.word),
      ],
      "exposure_mode": JSON(metadata.exposureMode?.rawValue),
      "white_balance_mode": JSON(metadata.whiteBalanceMode?.rawValue),
      "flash_mode": JSON(metadata.flashMode?.rawValue), "has_no_flash": .bool(metadata.hasNoFlash),
      "lens": metadata.lens.map { JSON($0) } ?? .null,
      "location": metadata.location.map { JSON($0) } ?? .null,
      "taken": metadata.taken.map { JSON($0) } ?? .null,
      "utc_offset_seconds": metadata.taken == nil ? .null : JSON(metadata.utcOffset),
      "orientation": JSON(metadata.display.exifOrientation),
      "shot": JSON(metadata.shot),
      "sequence": metadata.sequence.map { JSON($0) } ?? .null,
      "tags": .object(
        PhotoTag.allCases.compactMap { tag in metadata.tags[tag].map { (tag.rawValue, .string($0)) } }),
    ]
  }

  private init(_ member: SequenceMember) {
    self = [
      "name": .string(member.name), "number": JSON(member.place.number),
      "count": member.place.count == 0 ? .null : JSON(member.place.count), "lost": JSON(member.place.lost),
      "bracket": member.bracket.map { JSON($0) } ?? .null,
    ]
  }

  private init(_ lens: Lens) {
    self = [
      "make": JSON(lens.make), "model": JSON(lens.model),
      "focal_length_mm": lens.focalLength.map { .number($0, decimals: 3) } ?? .null,
      "focal_length_35mm": lens.focalLengthIn35mm.map { JSON($0) } ?? .null,
      "f_number": lens.fNumber.map { .number($0, decimals: 3) } ?? .null,
    ]
  }

  private init(_ location: GeographicLocation) {
    self = [
      "latitude": .number(location.latitude, decimals: 7),
      "longitude": .number(location.longitude, decimals: 7),
      "altitude_m": location.altitude.map { .number($0, decimals: 2) } ?? .null,
    ]
  }
}
