/// One of the sources that a camera can take its picture from, as `VIDIOC_ENUMINPUT` lists them.
public struct CameraInput: Hashable, Sendable {
  /// V4L2's number of it, from 0.
  public var index: Int
  /// The driver's: "HDMI 0".
  public var name: String
  public var kind: Kind
  /// The camera takes its picture from this one. `VIDIOC_G_INPUT`.
  public var isSelected: Bool
  /// `nil`: the driver tells it of the selected input only.
  public var status: InputStatus?
  /// `V4L2_IN_ST_*` as the driver says it.
  public var flags: UInt32
  /// What the camera is set to receive from it; formats follow from that. `nil`: the input has no such setting, or it is not selected.
  public var signal: InputSignal?
  /// What the driver finds at the input now; `nil`: nothing, or it cannot tell.
  public var detected: InputSignal?

  /// `V4L2_INPUT_TYPE_*`.
  public enum Kind: String, CaseIterable, Sendable { case unknown, tuner, camera, touch }

  public init(
    index: Int, name: String, kind: Kind = .camera, isSelected: Bool = false, status: InputStatus? = nil,
    flags: UInt32 = 0, signal: InputSignal? = nil, detected: InputSignal? = nil
  ) {
    (self.index, self.name, self.kind, self.isSelected) = (index, name, kind, isSelected)
    (self.status, self.flags, self.signal, self.detected) = (status, flags, signal, detected)
  }

  /// Formats that were listed of `other` do not hold any more.
  public func hasOtherFormats(than other: CameraInput) -> Bool {
    index != other.index || signal != other.signal
  }
}

/// How the signal at an input is.
public enum InputStatus: String, CaseIterable, Hashable, Sendable {
  case ready
  /// `V4L2_IN_ST_NO_POWER`: what is attached is off.
  case noPower
  /// `V4L2_IN_ST_NO_SIGNAL`, or `ENOLINK` when its timings are asked for.
  case noSignal
  /// There is one, and the camera cannot lock onto it (`V4L2_IN_ST_NO_SYNC` and the like, `ENOLCK`).
  case unstable
  /// Its timings are beyond what the camera can do (`ERANGE`).
  case outOfRange

  /// For a person, after the input's name; `nil` where all is well.
  public var trouble: String? {
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
  public var trouble: String? { status?.trouble.map { "the input '\(name)' \($0)" } }
}

/// The form of a picture that comes from outside of the camera.
public enum InputSignal: Hashable, Sendable {
  /// `VIDIOC_G_DV_TIMINGS`.
  case timings(VideoTimings)
  /// `VIDIOC_G_STD`: "PAL", "NTSC", "SECAM".
  case standard(String)
}

/// What of DV timings a person wants to know.
public struct VideoTimings: Hashable, Sendable {
  public var size: FrameSize
  /// Of frames, also where they are interlaced; `nil`: the driver does not know it.
  public var interval: FrameInterval?
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
