import CaptureModel
import CaptureSystem
import Synchronization

/// The photos that are being taken of a camera: how many there are, and the frames that wait until photos are made of them. Any thread may use it.
///
/// A frame keeps the driver's buffer only if no other frame waits: then its photo is made at once. All other frames are copied, so photos keep at
/// most one buffer of the driver. Photos of the same frame share the frame.
final class PhotosUnderWay: Sendable {
  fileprivate struct State {
    /// How many photos are being taken; a bracket or a burst is one.
    var count = 0
    var frames: [Key: Waiting] = [:]
    /// The bytes of those frames that are copies.
    var bytes = 0
    var pool: PayloadPool?
  }
  /// What distinguishes a camera's frames from each other.
  fileprivate struct Key: Hashable {
    /// When the frame came, in `CLOCK_MONOTONIC` nanoseconds.
    let arrival: UInt64
    /// Whether the frame came as a copy.
    let isCopy: Bool
  }
  fileprivate struct Waiting {
    let taken: TakenFrame
    /// Whether its bytes are the driver's buffer.
    let isLent: Bool
    var photos = 1

    /// The bytes that count toward the bound.
    var bytes: Int { isLent ? 0 : taken.frame.payload.count }
  }
  private let state = Mutex(State())
  /// The camera's name in messages.
  private let camera: String
  /// How many photos may be under way at once, and how many bytes of copied frames may wait.
  private let (mostPhotos, mostBytes): (Int, Int)

  /// `camera`: its name in messages.
  init(of camera: String, _ limits: NodeLimits) {
    self.camera = camera
    (mostPhotos, mostBytes) = (limits[.photosPerCamera], limits[.burstBytesPerCamera])
  }

  // MARK: Photos

  /// Counts a photo, bracket or burst that begins. Throws `resourceExhausted` if there are too many, unless `isBounded` is false.
  func begin(isBounded: Bool = true) throws(CaptureError) {
    let others = state.withLock { state -> Int? in
      if isBounded, state.count >= mostPhotos { return state.count }
      state.count += 1
      return nil
    }
    guard let others else { return }
    throw NodeLimit.photosPerCamera.exceeded(
      bound: mostPhotos,
      "\(others) photos of \(camera) are being taken, and there may be \(mostPhotos) at once; take this one when one of them is there"
    )
  }

  /// Notes that a photo, bracket or burst has ended. After the last one the memory is given back.
  func end() {
    let unused = state.withLock { state -> PayloadPool? in
      state.count -= 1
      return state.count == 0 ? state.pool.take() : nil
    }
    withExtendedLifetime(unused) {}
  }

  /// The memory for frames and for pictures of raw pixels. It is kept while photos are being taken, and no longer, since it is large.
  var pool: PayloadPool {
    state.withLock { state in
      let pool = state.pool ?? PayloadPool(keep: 4)
      if state.count > 0 { state.pool = pool }
      return pool
    }
  }

  // MARK: Frames

  /// The bytes of the frames that wait as copies.
  var waitingBytes: Int { state.withLock(\.bytes) }

  /// Keeps a frame until photos are made of it. `isCopy`: whether its bytes are a copy already, not the driver's.
  ///
  /// Throws `resourceExhausted` if there is no room for a copy of the frame. There is always room for one copy.
  func keep(_ taken: TakenFrame, isCopy: Bool = false) throws(CaptureError) -> PhotoFrame {
    let key = Key(arrival: taken.moment.arrival, isCopy: isCopy)
    let waiting = try state.withLock { state throws(CaptureError) -> Waiting? in
      if let shared = state.share(key) { return shared }
      let waiting = Waiting(taken: taken, isLent: !isCopy && state.frames.isEmpty)
      guard state.bytes == 0 || state.bytes + waiting.bytes <= mostBytes else {
        throw noRoom(for: waiting.bytes, beside: state.bytes)
      }
      state.bytes += waiting.bytes
      guard waiting.isLent || isCopy else { return nil }
      state.frames[key] = waiting
      return waiting
    }
    return PhotoFrame(waiting ?? copy(of: taken, key), Hold(self, key))
  }

  /// Copies a frame whose bytes have been counted already. It does so outside of the lock, so that other callers need not wait for the copy.
  private func copy(of taken: TakenFrame, _ key: Key) -> Waiting {
    let copy = Waiting(taken: taken.copied(into: pool), isLent: false)
    return state.withLock { state in
      if let shared = state.share(key) {
        state.bytes -= copy.bytes
        return shared
      }
      state.frames[key] = copy
      return copy
    }
  }

  private func noRoom(for size: Int, beside bytes: Int) -> CaptureError {
    NodeLimit.burstBytesPerCamera.exceeded(
      bound: mostBytes,
      "frames of \(camera) with \(bytes) bytes wait to be made into photos, and one of \(size) has no room beside them; take fewer photos at a time, or smaller ones"
    )
  }

  fileprivate func letGo(_ key: Key) {
    // The memory, or the driver's buffer, goes back outside of the lock.
    let unused = state.withLock { state -> Waiting? in
      state.frames[key]?.photos -= 1
      guard state.frames[key]?.photos == 0, let waiting = state.frames.removeValue(forKey: key) else {
        return nil
      }
      state.bytes -= waiting.bytes
      return waiting
    }
    withExtendedLifetime(unused) {}
  }

  /// Lets go of a frame when no photo has it any more.
  fileprivate final class Hold: Sendable {
    private let photos: PhotosUnderWay
    private let key: Key

    init(_ photos: PhotosUnderWay, _ key: Key) { (self.photos, self.key) = (photos, key) }
    deinit { photos.letGo(key) }
  }
}

extension PhotosUnderWay.State {
  /// Counts one more photo of a frame that waits already, and returns the frame; `nil`: no such frame waits.
  fileprivate mutating func share(_ key: PhotosUnderWay.Key) -> PhotosUnderWay.Waiting? {
    frames[key]?.photos += 1
    return frames[key]
  }
}

/// A frame of which a photo is made. The frame is let go of when the last copy of this value is gone.
struct PhotoFrame: Sendable {
  var taken: TakenFrame
  /// Whether its bytes are the driver's buffer.
  let isLent: Bool
  private let hold: PhotosUnderWay.Hold?

  /// A frame that is looked at, and of which no photo is made.
  init(_ taken: TakenFrame) { (self.taken, isLent, hold) = (taken, true, nil) }

  fileprivate init(_ waiting: PhotosUnderWay.Waiting, _ hold: PhotosUnderWay.Hold) {
    (taken, isLent, self.hold) = (waiting.taken, waiting.isLent, hold)
  }
}
