/// One of the sources that a camera can take its picture from, as `VIDIOC_ENUMINPUT` lists them.
public struct CameraInput: Hashable, Sendable {
  /// V4L2's number for the input, from 0.
  public var index: Int
  /// The driver's name for it: "HDMI 0".
  public var name: String
  /// What sends the picture.
  public var kind: Kind
  /// Whether the camera takes its picture from this input. `VIDIOC_G_INPUT`.
  public var isSelected: Bool
  /// `nil`: the driver reports it for the selected input only.
  public var status: InputStatus?
  /// The driver's `V4L2_IN_ST_*` flags.
  public var flags: UInt32
  /// The signal that the camera is set to receive, from which the formats follow. `nil`: the input has no such setting, or it is not selected.
  public var signal: InputSignal?
  /// The signal that the driver finds at the input now; `nil`: the driver finds none, or does not know.
  public var detected: InputSignal?

  /// `V4L2_INPUT_TYPE_*`.
  public enum Kind: String, CaseIterable, Sendable {
    /// A kind that is not known here.
    case unknown
    /// A receiver for television.
    case tuner
    /// A camera, or another source of video.
    case camera
    /// The sensor of a touch screen.
    case touch
  }

  public init(
    index: Int, name: String, kind: Kind = .camera, isSelected: Bool = false, status: InputStatus? = nil,
    flags: UInt32 = 0, signal: InputSignal? = nil, detected: InputSignal? = nil
  ) {
    (self.index, self.name, self.kind, self.isSelected) = (index, name, kind, isSelected)
    (self.status, self.flags, self.signal, self.detected) = (status, flags, signal, detected)
  }

  /// Whether formats that were listed for `other` are not valid for this input.
  public func hasOtherFormats(than other: CameraInput) -> Bool {
    index != other.index || signal != other.signal
  }
}

/// The state of the signal at an input.
public enum InputStatus: String, CaseIterable, Hashable, Sendable {
  /// Nothing is known to be wrong.
  case ready
  /// `V4L2_IN_ST_NO_POWER`: the attached device is off.
  case noPower
  /// `V4L2_IN_ST_NO_SIGNAL`, or `ENOLINK` when its timings are asked for.
  case noSignal
  /// There is a signal, but the camera cannot lock onto it (`V4L2_IN_ST_NO_SYNC` and the like, `ENOLCK`).
  case unstable
  /// The signal's timings are beyond what the camera can do (`ERANGE`).
  case outOfRange

  /// Text for a person, to follow the input's name; `nil` where nothing is wrong.
  public var problem: String? {
    switch self {
    case .ready: nil
    case .noPower: "has no power"
    case .noSignal: "has no signal"
    case .unstable: "has an unstable signal"
    case .outOfRange: "has a signal whose timings are beyond what the camera can do"
    }
  }
}

extension CameraInput {
  /// "the input 'HDMI 0' has no signal"; `nil` where nothing is known to be wrong.
  public var problem: String? { status?.problem.map { "the input '\(name)' \($0)" } }
}

/// The form of a picture that another device sends to the camera.
public enum InputSignal: Hashable, Sendable {
  /// `VIDIOC_G_DV_TIMINGS`.
  case timings(VideoTimings)
  /// `VIDIOC_G_STD`: "PAL", "NTSC", "SECAM"; "PAL or SECAM" where it may be either.
  case standard(String)
}

extension InputSignal {
  /// Whether both may be one signal that was measured twice. A measured pixel clock differs a little each time, and drivers report every standard
  /// that a signal may have.
  package func isSame(as other: InputSignal) -> Bool {
    if case .standard(let one) = self, case .standard(let two) = other {
      return !Set(one.split(separator: " or ")).isDisjoint(with: two.split(separator: " or "))
    }
    guard case .timings(let one) = self, case .timings(let two) = other else { return self == other }
    guard one.size == two.size, one.isInterlaced == two.isInterlaced else { return false }
    guard let (rate, otherRate) = one.interval.flatMap({ one in two.interval.map { (one.rate, $0.rate) } })
    else { return one == two }
    return abs(rate - otherRate) <= otherRate / 400
  }
}

/// The part of DV timings that a person wants to know.
public struct VideoTimings: Hashable, Sendable {
  /// The pixels of the picture.
  public var size: FrameSize
  /// The time between frames, also for an interlaced signal; `nil`: the driver does not know it.
  public var interval: FrameInterval?
  /// Whether a frame comes as two fields.
  public var isInterlaced: Bool

  public init(size: FrameSize, interval: FrameInterval?, isInterlaced: Bool = false) {
    (self.size, self.interval, self.isInterlaced) = (size, interval, isInterlaced)
  }
}

extension InputSignal: CustomStringConvertible {
  /// "1920x1080 at 60 fps", "PAL".
  public var description: String {
    switch self {
    case .standard(let name): name
    case .timings(let timings):
      "\(timings.size)" + (timings.isInterlaced ? " interlaced" : "")
        + (timings.interval.map { " at \($0)" } ?? "")
    }
  }
}
