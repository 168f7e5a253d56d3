package import CaptureModel

extension Medium: NumberedOnWire {
  package typealias Model = AccessMedium

  /// `nil`: unspecified, or a medium that this version does not know.
  package var model: AccessMedium? { known }

  /// The medium of a request. `field`: the medium's path in the request. Throws `invalidArgument`, which lists the media.
  package func model(_ field: String) throws(CaptureError) -> AccessMedium { try known("medium", field) }
}

extension [Medium] {
  /// The media of a set, in the model's order.
  package init(_ media: Set<AccessMedium>) {
    self = AccessMedium.allCases.filter(media.contains).map { Medium($0) }
  }

  /// The media of an answer that this version knows.
  package var model: Set<AccessMedium> { Set(compactMap(\.model)) }

  /// The media of a request. `field`: their path in the request.
  package func model(_ field: String) throws(CaptureError) -> Set<AccessMedium> {
    var all: Set<AccessMedium> = []
    for medium in self { all.insert(try medium.model(field)) }
    return all
  }
}
