package import CaptureModel

extension Medium: NumberedOnWire {
  package typealias Model = AccessMedium

  /// `nil`: unspecified, or a medium that this version does not know.
  package var model: AccessMedium? { known }

  /// As a request has it. `field`: where. Throws `invalidArgument`, which lists the media.
  package func model(_ field: String) throws(CaptureError) -> AccessMedium { try known("medium", field) }
}

extension [Medium] {
  /// Those of a set, in their order.
  package init(_ media: Set<AccessMedium>) {
    self = AccessMedium.allCases.filter(media.contains).map { Medium($0) }
  }

  /// Those that this version knows.
  package var model: Set<AccessMedium> { Set(compactMap(\.model)) }

  /// As a request has them.
  package func model(_ field: String) throws(CaptureError) -> Set<AccessMedium> {
    var all: Set<AccessMedium> = []
    for medium in self { all.insert(try medium.model(field)) }
    return all
  }
}
