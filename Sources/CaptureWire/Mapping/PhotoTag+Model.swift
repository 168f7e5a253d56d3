internal import CaptureModel

extension PhotoTag {
  /// The tags in the model's order.
  static func list(_ tags: [CaptureModel.PhotoTag: String]) -> [PhotoTag] {
    CaptureModel.PhotoTag.allCases.compactMap { tag in
      tags[tag].map { PhotoTag(name: tag.rawValue, value: $0) }
    }
  }

  /// Throws `invalidArgument` for a name that is not known, one that comes twice, and a text that cannot be written.
  static func model(_ tags: [PhotoTag]) throws(CaptureError) -> [CaptureModel.PhotoTag: String] {
    var known: [CaptureModel.PhotoTag: String] = [:]
    for (index, tag) in tags.enumerated() {
      do throws(CaptureError) {
        let name = try CaptureModel.PhotoTag(named: tag.name)
        try name.validate(tag.value)
        guard known.updateValue(tag.value, forKey: name) == nil else {
          throw CaptureError(
            .invalidArgument, "the tag \(name.rawValue) comes twice; a photo has one text of each name",
            .init(.valueNotPossible, field: "name", asked: .text(tag.name)))
        }
      } catch { throw error.below("settings.tags[\(index)]") }
    }
    return known
  }
}
