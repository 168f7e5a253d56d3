import CaptureModel
import CaptureSystem
import Glibc

/// The part of the sensor from which the picture is made.
extension ControlPort {
  func crop() throws(CaptureError) -> SensorCrop? {
    try withDevice("asking for the sensor's crop") { (device) throws(Errno) in try device.crop() }
  }

  /// Accepts an area only if the driver scales it to the size of the picture: readers rely on the size of the stream's buffers.
  func setCrop(_ area: PixelArea, pacing: FramePacing?) throws(CaptureError)
    -> (crop: SensorCrop, moment: ControlMoment)
  {
    let answer = try withDevice("cropping the sensor") { (device) throws(Errno) -> CropAnswer in
      guard let before = try device.crop() else { return .refused("its driver has no crop") }
      let format = try device.currentFormat(type)
      if let wait = pacing?.wait(at: MonotonicClock.now()), wait > 0 { usleep(UInt32(wait / 1000)) }
      let began = MonotonicClock.now()
      do throws(Errno) {
        _ = try device.select(area, as: .crop)
      } catch {
        if error == .noDevice { throw error }
        return .refused(Self.reason(error))
      }
      let moment = ControlMoment(began: began, ended: MonotonicClock.now())
      let after = try device.currentFormat(type)
      guard after.size == format.size, after.pixelFormat == format.pixelFormat else {
        let isBack = takeBack(before.area, on: device)
        _ = try? device.setFormat(format)
        return .refused(
          "its driver does not scale: the picture would be \(after.size)" + (isBack ? "" : Self.stays))
      }
      device.fillPicture(format.size)
      if let filled = try device.selection(.compose), filled.size != format.size {
        let isBack = takeBack(before.area, on: device)
        device.fillPicture(format.size)
        return .refused(
          "its driver scales \(area.size) to no more than \(filled.size) of the picture's \(format.size)"
            + (isBack ? "" : Self.stays))
      }
      guard let crop = try device.crop(), crop.area != crop.whole || area == crop.whole else {
        return .refused("its driver stays with the whole sensor")
      }
      return .taken(crop, moment)
    }
    switch answer {
    case .taken(let crop, let moment):
      isCropped = crop.area != crop.whole
      return (crop, moment)
    case .refused(let reason): throw CaptureError(.failedPrecondition, reason, .init(.notSupported))
    }
  }

  /// Selects the whole sensor again if this port has cropped it: other programs expect the whole one.
  func resetCrop() {
    guard isCropped else { return }
    isCropped = false
    _ = try? withDevice("ending the sensor's crop") { (device) throws(Errno) in
      if let crop = try device.crop() { _ = try device.select(crop.whole, as: .crop) }
    }
  }

  /// Selects the former area again. Returns whether the driver took it. If it did not, ``close()`` selects the whole sensor.
  private func takeBack(_ area: PixelArea, on device: borrowing VideoDevice) -> Bool {
    let isBack = (try? device.select(area, as: .crop)) != nil
    if !isBack { isCropped = true }
    return isBack
  }

  private static let stays = "; it did not take the former crop back, so the new one stays"

  private enum CropAnswer {
    case taken(SensorCrop, ControlMoment)
    case refused(String)
  }

  private static func reason(_ error: Errno) -> String {
    switch error.rawValue {
    case EBUSY: "its driver does not change the sensor's crop while a stream runs"
    case ENOTTY, EINVAL, ENODATA: "its driver does not let the sensor's crop be chosen"
    default: "its driver refused the sensor's crop: \(error)"
    }
  }
}
