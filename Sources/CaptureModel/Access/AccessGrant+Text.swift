/// The text of a grant in a command's argument: ROLE, ROLE:PATTERN, ROLE/MEDIUM or ROLE/MEDIUM:PATTERN. Several patterns or media take several such texts.
extension AccessGrant {
  /// Why a text is no grant.
  public struct TextError: Error, Hashable, Sendable {
    /// What the text has to be, for a person: words that can follow "takes".
    public let expectation: String
    /// Whether the text names the role admin. That role has every camera and medium, so no grant gives it.
    public let namesAdmin: Bool

    init(expectation: String, namesAdmin: Bool = false) {
      (self.expectation, self.namesAdmin) = (expectation, namesAdmin)
    }
  }

  /// Reads such a text. Throws an error that says what the text has to be.
  public init(parsing text: String) throws(TextError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let roles = AccessRole.allCases.filter { $0 != .admin }
    guard let role = AccessRole(rawValue: words[0]), role != .admin else {
      let names = roles.map(\.rawValue).joined(separator: " or ")
      guard words[0] == AccessRole.admin.rawValue else {
        throw TextError(expectation: "\(Self.shape), with the role \(names)")
      }
      throw TextError(
        expectation: "\(names) as a role; an admin has every camera and medium", namesAdmin: true)
    }
    self.init(role)
    if words.count > 1 {
      guard words.count == 2, let medium = AccessMedium(rawValue: words[1]) else {
        throw TextError(
          expectation:
            "\(Self.shape), with the medium \(AccessMedium.allCases.map(\.rawValue).joined(separator: " or "))"
        )
      }
      media = [medium]
    }
    if parts.count > 1 {
      guard CameraScope.isPattern(String(parts[1])) else {
        throw TextError(expectation: "\(Self.shape); \(CameraScope.expectation)")
      }
      cameras = CameraScope([String(parts[1])])
    }
  }

  /// What a grant looks like.
  private static let shape = "ROLE[/MEDIUM][:PATTERN], as control/video:usb-*"
}

extension AccessGrant: CustomStringConvertible {
  /// "control of the video of the cameras usb-*, pci-1", for a person.
  public var description: String {
    let of =
      media.count == AccessMedium.allCases.count ? "" : " of the \(mediaNames.joined(separator: " and "))"
    let which =
      cameras.isEvery
      ? "every camera"
      : "the camera\(cameras.patterns.count == 1 ? "" : "s") \(cameras.patterns.joined(separator: ", "))"
    return "\(role.rawValue)\(of) of \(which)"
  }

  /// The media's names, in their order.
  public var mediaNames: [String] { AccessMedium.allCases.filter(media.contains).map(\.rawValue) }
}
