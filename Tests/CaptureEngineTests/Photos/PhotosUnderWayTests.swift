import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

extension PhotosUnderWay {
  /// Those of a camera with these limits. `nil`: the usual one.
  static func bounded(photos: Int? = nil, bytes: Int? = nil) -> PhotosUnderWay {
    PhotosUnderWay(of: "'fake-0'", .ofPhotos(photos, bytes: bytes))
  }
}

extension NodeLimits {
  static func ofPhotos(_ photos: Int? = nil, bytes: Int? = nil) -> NodeLimits {
    var limits = NodeLimits()
    if let photos { limits[.photosPerCamera] = photos }
    if let bytes { limits[.burstBytesPerCamera] = bytes }
    return limits
  }
}

extension TakenFrame {
  /// A frame that has come now.
  static func ofPhoto(_ sequence: UInt64, bytes: Int) -> TakenFrame {
    let time = MonotonicClock.now()
    let format = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(width: 16, height: 16), interval: FrameInterval(rate: 100),
      planes: [])
    let frame = Frame(
      payload: Payload(copying: [UInt8](repeating: UInt8(sequence), count: bytes)), format: format,
      sequence: sequence, timestamp: .at(time))
    return TakenFrame(
      frame: frame, moment: FrameMoment(ordinal: sequence + 1, epoch: 0, time: time, arrival: time))
  }
}

/// How many photos are being taken of a camera, and their frames.
@Suite struct PhotosUnderWayTests {
  private static func taken(_ sequence: UInt64, bytes: Int = 100) -> TakenFrame {
    .ofPhoto(sequence, bytes: bytes)
  }

  @Test func oneMoreThanMayBeIsRefused() throws {
    let photos = PhotosUnderWay.bounded(photos: 2)
    for _ in 0..<2 { try photos.begin() }
    let error = #expect(throws: CaptureError.self) { try photos.begin() }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "photosPerCamera")
    #expect(error?.details?.bound == 2)
    #expect(error?.message.contains("2 photos of 'fake-0' are being taken") == true)
    #expect(error?.message.hasSuffix("(photosPerCamera)") == true)
    photos.end()
    try photos.begin()
    // The node's own are not refused.
    try photos.begin(isBounded: false)
    #expect(throws: CaptureError.self) { try photos.begin() }
  }

  @Test func theFirstFrameKeepsTheDriversBufferAndOthersAreCopied() throws {
    let photos = PhotosUnderWay.bounded()
    let (first, second) = (Self.taken(0), Self.taken(1))
    var kept: [PhotoFrame] = [try photos.keep(first), try photos.keep(second)]
    #expect(kept.map(\.isLent) == [true, false])
    #expect(kept[0].taken.frame.payload === first.frame.payload)
    #expect(kept[1].taken.frame.payload !== second.frame.payload)
    #expect(kept[1].taken.frame.payload.bytes == second.frame.payload.bytes)
    #expect(kept[1].taken.frame.sequence == 1 && photos.waitingBytes == 100)
    // Another photo of the first one has the buffer too.
    kept.append(try photos.keep(first))
    #expect(kept[2].isLent && photos.waitingBytes == 100)
    kept.removeFirst()
    #expect(try !photos.keep(Self.taken(2)).isLent)
    kept = []
    #expect(photos.waitingBytes == 0)
    #expect(try photos.keep(Self.taken(3)).isLent)
  }

  @Test func photosOfOneFrameShareOneCopyWhichCountsUntilTheLastIsMade() throws {
    let photos = PhotosUnderWay.bounded(bytes: 250)
    let buffer = try photos.keep(Self.taken(0))
    let frame = Self.taken(1)
    var kept = try (0..<100).map { _ in try photos.keep(frame) }
    #expect(Set(kept.map { ObjectIdentifier($0.taken.frame.payload) }).count == 1)
    #expect(photos.waitingBytes == 100)
    let other = try photos.keep(Self.taken(2))
    let error = #expect(throws: CaptureError.self) { try photos.keep(Self.taken(3)) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "burstBytesPerCamera")
    #expect(error?.details?.bound == 250 && error?.message.contains("with 200 bytes wait") == true)
    kept.removeLast(99)
    #expect(photos.waitingBytes == 200)
    kept.removeLast()
    #expect(try !photos.keep(Self.taken(4)).isLent)
    withExtendedLifetime((buffer, other)) {}
  }

  @Test func whatIsACopyAlreadyIsNotCopiedAndCounts() throws {
    let photos = PhotosUnderWay.bounded(bytes: 150)
    let recent = Self.taken(0)
    let kept = try [photos.keep(recent, isCopy: true), photos.keep(recent, isCopy: true)]
    #expect(kept.allSatisfy { !$0.isLent && $0.taken.frame.payload === recent.frame.payload })
    #expect(photos.waitingBytes == 100)
    #expect(throws: CaptureError.self) { try photos.keep(Self.taken(1), isCopy: true) }
  }

  @Test func theMemoryGoesWithTheLastPhoto() throws {
    let photos = PhotosUnderWay.bounded()
    for _ in 0..<2 { try photos.begin() }
    weak let memory = photos.pool
    #expect(memory != nil && photos.pool === memory)
    photos.end()
    #expect(memory != nil)
    photos.end()
    #expect(memory == nil)
  }

  @Test func aPhotoWhoseFrameHasNoRoomTakesALaterOne() async throws {
    let photos = PhotosUnderWay.bounded(bytes: 100)
    var others = [try photos.keep(Self.taken(0)), try photos.keep(Self.taken(1))]
    let photo = PhotoConsumer(of: photos, requested: 0)
    #expect(photo.take(Self.taken(2)) == .stay && photo.framesBefore == 1)
    others.removeLast()
    #expect(photo.take(Self.taken(3)) == .done)
    #expect(try await photo.wait().taken.frame.sequence == 3)
  }

  @Test func aPhotoThatWaitsForRoomInVainSaysSo() async throws {
    let photos = PhotosUnderWay.bounded(bytes: 100)
    let others = [try photos.keep(Self.taken(0)), try photos.keep(Self.taken(1))]
    let photo = PhotoConsumer(of: photos, requested: 0)
    #expect(photo.take(Self.taken(2)) == .stay)
    photo.fail(CaptureError(.unavailable, "it gave no frame within 8 s"))
    let error = await refusal { _ = try await photo.wait() }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "burstBytesPerCamera")
    withExtendedLifetime(others) {}
  }

  /// It has one frame at a time: that of a moment to come is the best so far until the next one comes.
  @Test func aPhotoOfAMomentToComeNeedsNoCopy() async throws {
    let photos = PhotosUnderWay.bounded()
    let photo = PhotoConsumer(NearestFrame(time: .max), of: photos)
    for number in 0..<5 { #expect(photo.take(Self.taken(UInt64(number))) == .stay) }
    #expect(photos.waitingBytes == 0)
  }
}
