extension FrameSize {
  /// The largest size of this shape that fits into `box`, and is not larger than this size.
  public func fitting(in box: FrameSize) -> FrameSize {
    guard width > box.width || height > box.height else { return self }
    if width * box.height >= height * box.width {
      return FrameSize(width: box.width, height: max(1, (height * box.width + width / 2) / width))
    }
    return FrameSize(width: max(1, (width * box.height + height / 2) / height), height: box.height)
  }
}
