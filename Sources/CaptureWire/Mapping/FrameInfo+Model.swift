public import CaptureModel
public import CaptureSystem

extension FrameInfo {
  /// `clock` converts the frame's timestamp to the time of day.
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

  /// The frame's description that the node sent. Missing sizes are 0.
  package var model: CaptureModel.FrameInfo {
    var info = CaptureModel.FrameInfo(
      sequence: sequence, timestamp: timestamp, pixelFormat: PixelFormat(rawValue: pixelFormat),
      size: size?.model ?? FrameSize(width: 0, height: 0), planes: planes.map(\.model), color: colour?.model,
      sourcePixelFormat: PixelFormat(rawValue: sourcePixelFormat),
      sourceSize: sourceSize?.model ?? FrameSize(width: 0, height: 0))
    info.encodeTime = encodeNs == 0 ? nil : .nanoseconds(Int64(clamping: encodeNs))
    info.settings = settings?.model
    info.view = view
    info.exposure = exposure?.model
    info.utc = utc?.model
    return info
  }

  /// The transform from the sensor's upright frame to the picture. Points of interest have the coordinates of that frame. An impossible crop or
  /// orientation is ignored.
  package var view: PictureTransform {
    PictureTransform(
      crop: (try? region?.model("region")) ?? .full,
      orientation: Orientation(rawValue: Int(orientation)) ?? .upright,
      isMirrored: mirrored)
  }

  /// When the frame was taken.
  package var timestamp: FrameTimestamp {
    let clock: FrameTimestamp.Clock =
      switch timestampClock {
      case .monotonic: .monotonic
      case .copy: .copy
      default: .unknown
      }
    return FrameTimestamp(
      nanoseconds: timestampNs, clock: clock,
      source: timestampSource == .startOfExposure ? .startOfExposure : .endOfFrame)
  }
}

extension ExposureTime {
  init(_ time: CaptureModel.ExposureTime) {
    self.init(
      startNs: time.start, endNs: time.end, uncertaintyNs: time.uncertainty,
      provenance: Provenance(time.provenance))
  }

  fileprivate var model: CaptureModel.ExposureTime {
    .init(start: startNs, end: endNs, uncertainty: uncertaintyNs, provenance: provenance.model)
  }
}

extension UtcTime {
  init(_ time: UTCTime) {
    self.init(ns: time.nanoseconds, uncertaintyNs: time.uncertainty, synchronised: time.isSynchronised)
  }

  fileprivate init(_ reading: UTCClock.Reading) {
    self.init(
      ns: reading.nanoseconds, uncertaintyNs: reading.uncertainty, synchronised: reading.isSynchronised)
  }

  var model: UTCTime {
    UTCTime(nanoseconds: ns, uncertainty: uncertaintyNs, isSynchronised: synchronised)
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

extension Plane {
  fileprivate var model: PlaneLayout { PlaneLayout(stride: Int(stride), bytes: Int(bytes)) }

  init(_ plane: PlaneLayout) {
    self.init(stride: UInt32(clamping: plane.stride), bytes: UInt32(clamping: plane.bytes))
  }
}
