import CaptureClient

extension PhotoMetadata: JSONValue {
  var json: JSON {
    [
      "image_unique_id": imageID, "node": node, "camera": camera.rawValue, "make": make, "model": model,
      "body_serial_number": ["value": serial, "provenance": serialProvenance.word] as JSON,
      "exposure_mode": exposureMode?.rawValue, "white_balance_mode": whiteBalanceMode?.rawValue,
      "flash_mode": flashMode?.rawValue, "has_no_flash": hasNoFlash, "lens": lens, "location": location,
      "taken": taken, "utc_offset_seconds": taken.map { _ in utcOffset },
      "orientation": display.exifOrientation, "shot": shot, "sequence": sequence,
      "tags": JSON.object(
        PhotoTag.allCases.compactMap { tag in tags[tag].map { (tag.rawValue, .string($0)) } }),
    ]
  }
}

extension SequenceMember: JSONValue {
  var json: JSON {
    [
      "name": name, "number": place.number, "count": place.count == 0 ? Int?.none : place.count,
      "lost": place.lost, "bracket": bracket,
    ]
  }
}

extension Lens: JSONValue {
  var json: JSON {
    [
      "make": make, "model": model, "focal_length_mm": focalLength.map { JSON.number($0, decimals: 3) },
      "focal_length_35mm": focalLengthIn35mm, "f_number": fNumber.map { JSON.number($0, decimals: 3) },
    ]
  }
}

extension GeographicLocation: JSONValue {
  var json: JSON {
    [
      "latitude": JSON.number(latitude, decimals: 7), "longitude": JSON.number(longitude, decimals: 7),
      "altitude_m": altitude.map { JSON.number($0, decimals: 2) },
    ]
  }
}
