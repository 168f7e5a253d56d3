import CaptureModel
import Synchronization

/// Notes which cameras stream on which USB bus, to name them when the bus has no bandwidth left for another one.
package final class BusTraffic: Sendable {
  private struct Stream {
    var bus: String
    var text: String
  }
  private let streams = Mutex<[CameraID: Stream]>([:])

  /// Notes the format in which a camera streams; `nil`: it streams no longer.
  func note(_ camera: CameraDescription, _ format: StreamFormat?) {
    guard let bus = Self.controller(camera.bus) else { return }
    let stream = format.map { format in
      let rate = format.interval.map { " at \($0)" } ?? ""
      return Stream(bus: bus, text: "'\(camera.id)' streams \(format.size) \(format.pixelFormat)\(rate)")
    }
    streams.withLock { $0[camera.id] = stream }
  }

  /// Adds to an error of a bus without bandwidth the names of the cameras that use the bus.
  func explain(_ error: CaptureError, of camera: CameraDescription) -> CaptureError {
    guard error.cause == .noSpace, let bus = Self.controller(camera.bus) else { return error }
    let others = streams.withLock { streams in
      streams.filter { $0.key != camera.id && $0.value.bus == bus }.map(\.value.text).sorted()
    }
    guard !others.isEmpty else { return error }
    var error = error
    error.message += Self.textBeforeOthers + others.joined(separator: ", ")
    return error
  }

  /// The text before the list of the other cameras on the bus. The list ends the message.
  package static let textBeforeOthers = "; on that bus "

  /// Returns the USB controller of a bus position: "usb-0000:00:14.0" of "usb-0000:00:14.0-1.2". All its ports share its bandwidth.
  private static func controller(_ bus: String) -> String? {
    guard bus.hasPrefix("usb-"), let dash = bus.lastIndex(of: "-"),
      dash > bus.index(bus.startIndex, offsetBy: 3)
    else { return nil }
    return String(bus[..<dash])
  }
}
