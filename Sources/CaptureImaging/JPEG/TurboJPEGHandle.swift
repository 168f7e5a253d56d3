import CTurboJPEG
import CaptureModel

/// A TurboJPEG instance. After an error it is destroyed, and the next use makes a new one: a reused one can be poisoned, and then fails or returns
/// nonsense for good pictures.
struct TurboJPEGHandle: ~Copyable {
  private let make: () -> tjhandle?
  private var handle: tjhandle?

  static func compressor() -> TurboJPEGHandle { TurboJPEGHandle(tjInitCompress) }
  static func decompressor() -> TurboJPEGHandle { TurboJPEGHandle(tjInitDecompress) }
  static func transformer() -> TurboJPEGHandle { TurboJPEGHandle(tjInitTransform) }

  private init(_ make: @escaping () -> tjhandle?) { self.make = make }

  deinit {
    if let handle { tjDestroy(handle) }
  }

  /// Calls `body`, a TurboJPEG function that returns 0 for success. If the function fails, TurboJPEG's text becomes an error of `code` that begins
  /// with `what`, unless `isHarmless` accepts the text.
  mutating func call(
    _ what: String, failing code: CaptureError.Code, accepting isHarmless: (String) -> Bool = { _ in false },
    _ body: (tjhandle) -> Int32
  ) throws(CaptureError) {
    guard let handle = handle ?? make() else {
      throw CaptureError(.resourceExhausted, "\(what): no memory")
    }
    self.handle = handle
    if body(handle) == 0 { return }
    let text = String(cString: tjGetErrorStr2(handle))
    tjDestroy(handle)
    self.handle = nil
    if isHarmless(text) { return }
    throw CaptureError(code, "\(what): \(text)")
  }
}
