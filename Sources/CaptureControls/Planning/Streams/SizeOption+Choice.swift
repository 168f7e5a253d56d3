import CaptureModel

extension SizeOption {
  /// The sizes to choose from where a request leaves the size open, the largest first. For a range this is the size that the driver was set to when
  /// the camera appeared. If that is unknown, these are the common sizes inside the range, and its ends if they are no larger than the common ones. A
  /// driver's largest size says little: some drivers report sizes that no sensor has and no memory holds.
  public var openSizes: [FrameSize] {
    if isDiscrete { return [minimum] }
    if let current { return [current] }
    let sizes = choosableSizes
    return sizes.isEmpty ? [minimum] : sizes
  }

  /// The sizes that a preset with a bound or a size of its own chooses from. For a range these are the common sizes in it, the driver's own, and its
  /// ends if they are no larger than the common ones.
  var choosableSizes: [FrameSize] {
    if isDiscrete { return [minimum] }
    var sizes = Self.commonSizes.filter(contains)
    for size in [minimum, maximum] where size.area <= Self.commonSizes[0].area { sizes.append(size) }
    if let current { sizes.append(current) }
    return sizes.sorted { ($0.area, $0.width) > ($1.area, $1.width) }
  }

  /// The largest first.
  private static let commonSizes = [
    FrameSize(width: 1920, height: 1080), FrameSize(width: 1280, height: 720),
    FrameSize(width: 640, height: 480), FrameSize(width: 640, height: 360),
    FrameSize(width: 352, height: 288), FrameSize(width: 320, height: 240),
  ]
}
