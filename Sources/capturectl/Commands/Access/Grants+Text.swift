import CaptureModel

extension [AccessGrant] {
  /// Whether one role, with patterns of cameras, says the same as these grants: there is at most one grant, and it is for every medium.
  var areOneRole: Bool { isEmpty || count == 1 && self[0].media.count == AccessMedium.allCases.count }

  /// "control of the video of the camera usb-1; view of every camera", for a person.
  var text: String { map(\.description).joined(separator: "; ") }
}

extension AccessGrant: JSONValue {
  var json: JSON { ["role": role.rawValue, "cameras": cameras.patterns, "media": mediaNames] }
}
