import CaptureModel

extension [AccessGrant] {
  /// Whether a role and patterns of cameras say all of them.
  var areOneRole: Bool { isEmpty || count == 1 && self[0].media.count == AccessMedium.allCases.count }

  /// "control of the video of the camera usb-1; view of every camera", for a person.
  var text: String { map(\.description).joined(separator: "; ") }
}

extension JSON {
  init(_ grants: [AccessGrant]) {
    self = .array(
      grants.map { grant in
        [
          "role": .string(grant.role.rawValue), "cameras": .array(grant.cameras.patterns.map(JSON.string)),
          "media": .array(grant.mediaNames.map(JSON.string)),
        ]
      })
  }
}
