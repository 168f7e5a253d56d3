public import CaptureModel

extension CapturePhotoRequest {
  /// The moment that the photo is to show. Throws `invalidArgument` for a moment that cannot be read, and `failedPrecondition` for one of another
  /// boot than `bootID`.
  public func photoTime(bootID: String) throws(CaptureError) -> PhotoTime {
    guard let when = settings?.when else { return .next }
    try when.validateBootID()
    switch when.kind {
    case .now(true): return .now
    case .next(true), nil: return .next
    case .now(false): throw Self.isNotTrue("now")
    case .next(false): throw Self.isNotTrue("next")
    case .agoNs(let time):
      guard let time = Int64(exactly: time) else {
        throw CaptureError(
          .invalidArgument,
          "a moment \(time / 31_556_952_000_000_000) years ago is not possible; the node keeps the frames of a stream's last seconds",
          .init(
            .valueOutOfRange, field: "\(PhotoTime.field).ago_ns", asked: .number(Double(time)),
            range: .init(0, Double(Int64.max))))
      }
      return .ago(.nanoseconds(time))
    case .nodeNs(let time):
      guard !when.bootID.isEmpty else {
        throw CaptureError(
          .invalidArgument, "a time of the node's own clock needs the boot_id that it belongs to",
          .init(.valueMissing, field: "\(PhotoTime.field).boot_id"))
      }
      guard when.bootID == bootID else {
        throw CaptureError(
          .failedPrecondition,
          "that time belongs to another boot of the node (\(when.bootID.quoted)); this one is '\(bootID)', and its clock began anew",
          .init(
            .valueNotPossible, field: "\(PhotoTime.field).boot_id", asked: .text(when.bootID),
            possible: [bootID]))
      }
      return .node(time, bootID: bootID)
    case .utcNs(let time): return .utc(time)
    }
  }

  private static func isNotTrue(_ name: String) -> CaptureError {
    CaptureError(
      .invalidArgument, "\(name) is either true or left out",
      .init(.valueNotPossible, field: "\(PhotoTime.field).\(name)", possible: ["true"]))
  }
}

extension When {
  /// Throws `invalidArgument` where a boot is named beside a moment that belongs to no boot.
  fileprivate func validateBootID() throws(CaptureError) {
    if case .nodeNs? = kind { return }
    guard !bootID.isEmpty else { return }
    throw CaptureError(
      .invalidArgument, "a boot_id belongs to a time of the node's own clock (node_ns), and there is none",
      .init(.fieldsExclusive, field: "\(PhotoTime.field).boot_id"))
  }

  /// `nil` for the usual moment, which needs no message. A time that is too long for a message becomes the longest one, which nodes refuse.
  package init?(_ time: PhotoTime) {
    switch time {
    case .next: return nil
    case .now: self.init(kind: .now(true))
    case .ago(let duration):
      self.init(kind: .agoNs(UInt64(min(max(duration / .nanoseconds(1), 0), 0x1p64.nextDown))))
    case .node(let time, let bootID): self.init(kind: .nodeNs(time), bootID: bootID)
    case .utc(let time): self.init(kind: .utcNs(time))
    }
  }
}

extension PhotoNearness {
  public init(_ nearness: CaptureModel.PhotoNearness) {
    self.init(
      distanceNs: Int64(nearness.distance / .nanoseconds(1)), provenance: Provenance(nearness.provenance))
  }

  package var model: CaptureModel.PhotoNearness { .init(.nanoseconds(distanceNs), provenance.model) }
}

extension RecentFrames {
  package init(_ reach: RecentReach) {
    self.init(
      reachNs: UInt64(max(reach.duration / .nanoseconds(1), 0)), frames: UInt32(clamping: reach.frames),
      bytes: UInt64(clamping: reach.bytes), bound: UInt64(clamping: reach.bound))
  }

  package var model: RecentReach {
    RecentReach(
      duration: .nanoseconds(Int64(clamping: reachNs)), frames: Int(frames), bytes: Int(clamping: bytes),
      bound: Int(clamping: bound))
  }
}
