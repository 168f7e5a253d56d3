import CaptureModel
import CaptureSystem
import Glibc

/// Makes the metadata of a photo.
extension Photos {
  /// Gathers the metadata for a photo of a frame; `nil`: none is wanted, or no camera is known.
  func metadata(of taken: TakenFrame, _ request: VideoRequest) -> PhotoMetadata? {
    guard request.hasMetadata, let camera = context.camera.description else { return nil }
    let serial = camera.photoSerial
    var metadata = PhotoMetadata(
      imageID: Self.newImageID(), node: origin.node, camera: camera.id,
      make: camera.manufacturer.isEmpty ? nil : camera.manufacturer, model: camera.name, serial: serial.text,
      serialProvenance: serial.provenance)
    if let present = settings.latest() {
      metadata.exposureMode = present.exposure?.mode
      metadata.whiteBalanceMode = present.whiteBalance?.mode
      metadata.hasNoFlash = present.flash == nil
      metadata.flashMode = present.flash.map { request.flash ?? $0.mode }
    }
    (metadata.lens, metadata.location, metadata.tags) = (origin.lens, origin.location, request.tags)
    (metadata.shot, metadata.sequence) = (request.shot, request.sequence)
    var description = PictureDescription(taken.frame)
    description.settings = taken.settings
    if description.timestamp.clock == .monotonic {
      let moment = description.exposure?.start ?? description.timestamp.nanoseconds
      let reading = clock.reading(at: moment)
      metadata.taken = UTCTime(
        nanoseconds: reading.nanoseconds, uncertainty: reading.uncertainty,
        isSynchronised: reading.isSynchronised)
      metadata.utcOffset = Self.utcOffset(at: reading.nanoseconds)
    }
    return metadata
  }

  private static func newImageID() -> String {
    let digits = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }
    return digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }

  /// The local time minus UTC, in seconds. `time`: the moment, in nanoseconds since 1970.
  private static func utcOffset(at time: Int64) -> Int {
    var seconds = time_t(time / 1_000_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts.tm_gmtoff
  }
}
