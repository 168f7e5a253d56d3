extension PictureTransform {
  /// EXIF's number, 1 to 8, for a picture that has to be turned and mirrored in this way before it is looked at. The crop does not count.
  public var exifOrientation: Int {
    switch (orientation, isMirrored) {
    case (.upright, false): 1
    case (.upright, true): 2
    case (.upsideDown, false): 3
    case (.upsideDown, true): 4
    case (.clockwise90, true): 5
    case (.clockwise90, false): 6
    case (.clockwise270, true): 7
    case (.clockwise270, false): 8
    }
  }

  /// `nil` for a number that EXIF does not have.
  public init?(exifOrientation number: Int) {
    let all = Orientation.allCases.flatMap { orientation in
      [false, true].map { PictureTransform(orientation: orientation, isMirrored: $0) }
    }
    guard let found = all.first(where: { $0.exifOrientation == number }) else { return nil }
    self = found
  }
}
