import CaptureControls
import CaptureModel

/// The different pictures that are made of one stream's frames, and for whom. Frames as they are and the usual picture do not count.
struct RenditionCount {
  private let usual: FramePlan.Delivery
  private var made: [(delivery: FramePlan.Delivery, holders: Set<String>)] = []

  /// `usual`: the form for a request that names no size or quality. It is always possible, however many other forms are made.
  init(besides usual: FramePlan.Delivery) { self.usual = usual }

  private func counts(_ delivery: FramePlan.Delivery) -> Bool { delivery.work != nil && delivery != usual }

  mutating func add(_ delivery: FramePlan.Delivery, for holder: String) {
    guard counts(delivery) else { return }
    if let place = made.firstIndex(where: { $0.delivery == delivery }) {
      made[place].holders.insert(holder)
    } else {
      made.append((delivery, [holder]))
    }
  }

  /// The error if `holder` may not have frames of `camera` in this form too; `nil`: it may.
  func refusal(
    of delivery: FramePlan.Delivery, for holder: String, camera: CameraID, limits: NodeLimits
  ) -> CaptureError? {
    guard counts(delivery) else { return nil }
    let own = made.filter { $0.holders.contains(holder) }
    if own.contains(where: { $0.delivery == delivery }) { return nil }
    if own.count >= limits[.renditionsPerConnection] {
      return NodeLimit.renditionsPerConnection.exceeded(
        bound: limits[.renditionsPerConnection],
        "\(holder) has \(own.count) different pictures of '\(camera)' made at once, the most of one connection; ask for a size and quality that it "
          + "has already, or end one of them")
    }
    if made.count >= limits[.renditionsPerCamera], !made.contains(where: { $0.delivery == delivery }) {
      return NodeLimit.renditionsPerCamera.exceeded(
        bound: limits[.renditionsPerCamera],
        "\(made.count) different pictures are made of '\(camera)' at once, the most there may be; ask for frames as they are, without a size and quality, or for one of "
          + made.map(\.delivery.text).joined(separator: ", "))
    }
    return nil
  }
}

extension FramePlan.Delivery {
  /// "640x480 at quality 80"
  fileprivate var text: String {
    switch self {
    case .untouched: "frames as they are"
    case .jpeg(let settings): "\(settings.size) at quality \(settings.quality)"
    case .raw(let settings): "raw \(settings.size)"
    case .pixels(let settings): "\(settings.target.pixelFormat) \(settings.size)"
    }
  }
}
