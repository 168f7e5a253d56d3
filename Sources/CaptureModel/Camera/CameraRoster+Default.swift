extension Sequence<CameraRoster.Entry> {
  /// The camera that an application takes when its user has chosen none (`AVCaptureDevice.default(for:)`): the first usable one at the back of the
  /// machine, else at its front, else the first usable one.
  public var defaultCamera: CameraID? {
    let usable = filter { $0.isPresent && $0.description.unusableReason == nil }
    func first(_ position: CameraDescription.Position) -> CameraRoster.Entry? {
      usable.first { $0.description.position == position }
    }
    return (first(.back) ?? first(.front) ?? usable.first)?.description.id
  }
}
