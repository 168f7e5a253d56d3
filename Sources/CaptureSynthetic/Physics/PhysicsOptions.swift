import CaptureModel

/// The parts and properties of a camera with physics.
package struct PhysicsOptions: Hashable, Sendable {
  /// The camera's own automatic modes.
  package struct Automation: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let exposure = Automation(rawValue: 1)
    package static let focus = Automation(rawValue: 2)
    package static let whiteBalance = Automation(rawValue: 4)
    package static let all: Automation = [.exposure, .focus, .whiteBalance]
  }

  /// Actuators and adjustments besides exposure duration and gain.
  package struct Parts: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let lens = Parts(rawValue: 1)
    package static let zoom = Parts(rawValue: 2)
    package static let torch = Parts(rawValue: 4)
    /// `V4L2_CID_WHITE_BALANCE_TEMPERATURE`.
    package static let temperature = Parts(rawValue: 8)
    /// `V4L2_CID_RED_BALANCE`, `V4L2_CID_BLUE_BALANCE`.
    package static let colorBalance = Parts(rawValue: 16)
    package static let all: Parts = [.lens, .zoom, .torch, .temperature, .colorBalance]
  }

  /// The camera's modes, which are on at first.
  package var automation = Automation.all
  package var parts = Parts.all
  /// How many frames a control's value takes to show, 0…5. With 0, the first frame whose exposure begins after the control was set has the value.
  package var delay = 1
  /// The delays of single controls, in place of ``delay``.
  package var delays: [ControlID: Int] = [:]
  /// The seed of the noise and of the scene's texture.
  package var seed: UInt64 = 1
  /// The ambient light at first, in EV.
  package var light = 0.0
  /// The ambient light's correlated colour temperature at first, 1700 to 25,000 K.
  package var illuminant = 5000.0
  /// How much brighter the far checker is than the rest of the scene, in EV, as a window is in a room.
  package var window = 0.0
  /// The speed of the lens in travels a second; infinity: it arrives at once.
  package var lensSpeed = 6.0
  /// The meaning of a frame's timestamp.
  package var timestamps = FrameTimestamp.Source.endOfFrame
  /// A factor for the sensor's own noise.
  package var noise = 1.0
  /// Whether reading a control that an automatic mode has taken over gives the mode's value. Otherwise it gives the value that was set last.
  package var reportsAutomaticValues = true

  package init() {}

  package func delay(of id: ControlID) -> Int { delays[id] ?? delay }

  /// Reads one option of a camera's spec. Returns what is wrong with it; `nil`: nothing.
  mutating func take(_ word: String) -> String? {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    switch (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil) {
    case ("manual", nil): automation = []
    case ("silent", nil): reportsAutomaticValues = false
    case ("delay", let text?):
      guard let number = Int(text), 0...5 ~= number else {
        return "\"\(text)\" is no delay; it is 0 to 5 frames"
      }
      delay = number
    case ("seed", let text?):
      guard let number = UInt64(text) else { return "\"\(text)\" is no seed; it is a whole number" }
      seed = number
    case ("light", let text?):
      guard let number = Double(text), -16...6 ~= number else {
        return "\"\(text)\" is no light; it is -16 to 6 EV"
      }
      light = number
    case ("illuminant", let text?):
      guard let number = Double(text), 1700...25_000 ~= number else {
        return "\"\(text)\" is no illuminant; it is 1700 to 25000 kelvin"
      }
      illuminant = number
    case ("window", let text?):
      guard let number = Double(text), 0...8 ~= number else {
        return "\"\(text)\" is no brightness of a window; it is 0 to 8 EV more than the room's"
      }
      window = number
    default:
      return
        "\"\(word)\" is no option; there are manual, silent, delay=FRAMES, seed=NUMBER, light=EV, illuminant=KELVIN, window=EV"
    }
    return nil
  }
}
