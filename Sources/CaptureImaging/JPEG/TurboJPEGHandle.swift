import CTurboJPEG
import CaptureModel

/// A TurboJPEG instance. After an error it is destroyed, and the next use makes a new one: a reused one can be poisoned, and then fails or returns
/// nonsense for good pictures.
final class TurboJPEGHandle {
  private let make: () -> tjhandle?
  // Unchecked: with the check an optimized build ends with a segmentation fault where the object ends (Swift 6.3.1).
  @exclusivity(unchecked) private var handle: tjhandle?

  static func compressor() -> TurboJPEGHandle { TurboJPEGHandle(tjInitCompress) }
  static func decompressor() -> TurboJPEGHandle { TurboJPEGHandle(tjInitDecompress) }
  static func transformer() -> TurboJPEGHandle { TurboJPEGHandle(tjInitTransform) }

  private init(_ make: @escaping () -> tjhandle?) { self.make = make }

  deinit { discard() }

  /// Calls `body`, a TurboJPEG function that returns 0 for success. Its text becomes a `code` error that begins with `what`, unless that text is
  /// accepted.
  func call(
    _ what: String, failing code: CaptureError.Code, accepting isHarmless: (String) -> Bool = { _ in false },
    _ body: (tjhandle) -> Int32
  ) throws(CaptureError) {
    guard let handle = handle ?? make() else {
      throw CaptureError(.resourceExhausted, "\(what): no memory")
    }
    self.handle = handle
    if body(handle) == 0 { return }
    let text = String(cString: tjGetErrorStr2(handle))
    discard()
    if isHarmless(text) { return }
    throw CaptureError(code, "\(what): \(text)")
  }

  private func discard() {
    if let handle { tjDestroy(handle) }
    handle = nil
  }
}
