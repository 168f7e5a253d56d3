public import CaptureModel
public import CaptureSystem

extension Size {
  public init(_ size: FrameSize) {
    self.init(width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
  }

  /// `nil` for 0x0: none was asked for.
  public var model: FrameSize? {
    width == 0 && height == 0 ? nil : FrameSize(width: Int(width), height: Int(height))
  }
}

extension FrameInterval {
  public init(_ interval: CaptureModel.FrameInterval) {
    self.init(numerator: interval.numerator, denominator: interval.denominator)
  }

  /// `nil` for 0/0: unknown.
  public var model: CaptureModel.FrameInterval? {
    CaptureModel.FrameInterval(numerator: numerator, denominator: denominator)
  }
}

extension TimestampClock {
  public init(_ clock: FrameTimestamp.Clock) {
    self =
      switch clock {
      case .unknown: .unknown
      case .monotonic: .monotonic
      case .copy: .copy
      }
  }
}

extension TimestampSource {
  public init(_ source: FrameTimestamp.Source) {
    self =
      switch source {
      case .endOfFrame: .endOfFrame
      case .startOfExposure: .startOfExposure
      }
  }
}

extension ExposureTime {
  init(_ time: CaptureModel.ExposureTime) {
    self.init(
      startNs: time.start, endNs: time.end, uncertaintyNs: time.uncertainty,
      provenance: Provenance(time.provenance))
  }
}

extension UtcTime {
  fileprivate init(_ reading: UTCClock.Reading) {
    self.init(
      ns: reading.nanoseconds, uncertaintyNs: reading.uncertainty, synchronised: reading.isSynchronised)
  }
}

extension FrameInfo {
  /// `clock` tells the time of day of the frame's timestamp.
  public init(_ picture: PictureDescription, clock: UTCClock) {
    let (source, view) = (picture.source, picture.view)
    self.init(
      sequence: picture.sequence, timestampNs: picture.timestamp.nanoseconds,
      timestampClock: TimestampClock(picture.timestamp.clock),
      timestampSource: TimestampSource(picture.timestamp.source),
      encoding: picture.pixelFormat.isJPEG ? .jpeg : .raw, pixelFormat: picture.pixelFormat.rawValue,
      size: Size(picture.size), planes: picture.pixelFormat.isJPEG ? [] : picture.planes.map { Plane($0) },
      sourcePixelFormat: source.pixelFormat.rawValue, sourceSize: Size(source.size),
      encodeNs: picture.encodeTime.map { UInt64($0 / .nanoseconds(1)) } ?? 0,
      settings: picture.settings.map { FrameSettings($0) },
      region: view.crop == .full ? nil : Region(view.crop), orientation: UInt32(view.orientation.rawValue),
      mirrored: view.isMirrored, colour: Colour(picture.color),
      exposure: picture.exposure.map { ExposureTime($0) },
      utc: picture.timestamp.clock == .monotonic
        ? UtcTime(clock.reading(at: picture.timestamp.nanoseconds)) : nil)
  }

  /// How the picture shows the sensor's own upright frame, where points of interest lie. An impossible value is taken as no transform.
  public var view: PictureTransform {
    PictureTransform(
      crop: (try? region?.checked(as: "region")) ?? .full,
      orientation: Orientation(rawValue: Int(orientation)) ?? .upright,
      isMirrored: mirrored)
  }
}

extension Region {
  init(_ rect: NormalizedRect) { self.init(x: rect.x, y: rect.y, width: rect.width, height: rect.height) }

  /// Throws `invalidArgument`, which names `field`, for a rectangle that is not inside a picture.
  func checked(as field: String) throws(CaptureError) -> NormalizedRect {
    do throws(CaptureError) {
      return try NormalizedRect(x: x, y: y, width: width, height: height)
    } catch { throw error.naming(field) }
  }
}

extension FlashOutcome {
  public init(_ outcome: CaptureModel.FlashOutcome?) {
    switch outcome {
    case .fired: self = .fired
    case .notNeeded: self = .notNeeded
    case nil: self = .unspecified
    }
  }
}

extension Plane {
  init(_ plane: PlaneLayout) {
    self.init(stride: UInt32(clamping: plane.stride), bytes: UInt32(clamping: plane.bytes))
  }
}
