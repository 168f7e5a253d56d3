import CaptureModel

extension VideoRequest {
  /// For photos that cannot have a flash: throws `invalidArgument` with that text if the request asks for one.
  func requireNoFlash(_ text: String) throws(CaptureError) {
    guard let flash, flash != .off else { return }
    throw CaptureError(
      .invalidArgument, text, .init(.fieldsExclusive, field: "settings.flash", asked: .text("\(flash)")))
  }
}
