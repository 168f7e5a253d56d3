import CaptureModel
import CaptureSystem
import Synchronization

/// A frame as subscribers get it: the camera's bytes, or a JPEG or a turned picture made of them. All subscribers share one object.
public final class Picture: Sendable {
  public let description: PictureDescription
  public let payload: Payload
  /// The frame's number in its stream, from 1.
  let ordinal: UInt64
  /// The stream's latest discontinuity so far.
  let discontinuity: StreamDiscontinuity?
  /// How many discontinuities the stream has had so far.
  let epoch: UInt64
  private let encoded = Mutex<[UInt8]?>(nil)

  /// The encoded description, the same bytes for all subscribers. The first caller encodes it.
  public func encodedDescription(_ encode: (PictureDescription) -> [UInt8]) -> [UInt8] {
    encoded.withLock { encoded in
      if let encoded { return encoded }
      let made = encode(description)
      encoded = made
      return made
    }
  }

  /// `payload` replaces the frame's own bytes where it is not `nil`. `notes`: how the frame was taken for a photo; live pictures have none.
  init(
    _ taken: TakenFrame, _ description: PictureDescription, payload: Payload? = nil,
    notes: PhotoNotes = PhotoNotes()
  ) {
    var description = description
    description.settings = taken.settings
    (description.flash, description.settling) = (notes.flash, notes.settling)
    self.description = description
    self.payload = payload ?? taken.frame.payload
    (ordinal, discontinuity, epoch) = (taken.moment.ordinal, taken.discontinuity, taken.moment.epoch)
  }

  private init(_ other: Picture, payload: Payload, planes: [PlaneLayout]?) {
    var description = other.description
    if let planes { description.planes = planes }
    (self.description, self.payload) = (description, payload)
    (ordinal, discontinuity, epoch) = (other.ordinal, other.discontinuity, other.epoch)
  }

  /// A copy with other bytes. `planes`: their layout; `nil`: unchanged.
  func with(_ payload: Payload, planes: [PlaneLayout]? = nil) -> Picture {
    Picture(self, payload: payload, planes: planes)
  }
}

extension TakenFrame {
  /// The camera's bytes, for subscribers that take them as they are.
  var untouched: Picture { Picture(self, PictureDescription(frame)) }

  /// The frame for subscribers that get the camera's pixel format. Where frames in that format cannot be cut, the frame is without digital zoom.
  func asItComes(_ imaging: Imaging) -> TakenFrame {
    zoom.isIdentity || imaging.canCutAsItComes(frame.format.pixelFormat) ? self : whole
  }

  /// The frame without digital zoom.
  var whole: TakenFrame {
    if zoom.isIdentity { return self }
    var whole = self
    whole.zoom = .identity
    whole.settings?.zoomFactor = Observed(1, .reported)
    return whole
  }
}
