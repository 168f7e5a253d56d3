import CaptureModel

extension VideoRequest {
  /// Throws `invalidArgument` with that text where a flash is asked for that this kind of photo cannot have.
  func requireNoFlash(_ text: String) throws(CaptureError) {
    guard let flash, flash != .off else { return }
    throw CaptureError(
      .invalidArgument, text, .init(.fieldsExclusive, field: "settings.flash", asked: .text("\(flash)")))
  }
}
