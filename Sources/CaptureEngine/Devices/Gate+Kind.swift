extension Gate {
  /// The kinds of gates. A task that needs several gates, also of several sessions and devices, enters them in this order.
  package enum Kind: Int, Comparable, Sendable {
    /// Changing a session.
    case session
    /// Taking a photo of a camera that does not stream, and anything that would change the stream of such a photo.
    case photo
    /// Starting and stopping the stream.
    case stream
    /// Lighting a photo.
    case flash
    /// Setting controls and all other settings.
    case settings
    /// Changing what is kept by name, until the disk has it or has refused it: whoever takes back a change must not take back another's.
    case storing
    /// Making the files of a photo. It has a place for each worker that may do long work.
    case making

    package static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }
}

/// The gates of one device.
struct DeviceGates: Sendable {
  let photo = Gate(.photo)
  let stream = Gate(.stream)
  let flash = Gate(.flash)
  let settings = Gate(.settings)
  let storing = Gate(.storing)
  let making: Gate

  /// `makingPlaces`: how many photos may be made at once.
  init(makingPlaces: @escaping @Sendable () -> Int = { 1 }) { making = Gate(.making, places: makingPlaces) }
}
