import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// A staged camera for brackets: its frames come while a photo waits for one.
struct BracketRig {
  let rig: StagedRig
  var device: Device { rig.device }
  var camera: StagedCamera { rig.camera }

  init(_ options: PhysicsOptions = PhysicsOptions(), isCalibrated: Bool = true) async throws {
    rig = try await StagedRig(options, isCalibrated: isCalibrated)
  }

  /// What a bracket has delivered so far.
  final class Photos: Sendable {
    private let photos = Mutex<[SequencePhoto]>([])
    var all: [SequencePhoto] { photos.withLock { $0 } }
    func add(_ photo: SequencePhoto) { photos.withLock { $0.append(photo) } }
  }

  /// A frame, where a photo waits for one: what it is to be taken with is set by then.
  func step() async {
    let isWaiting = await device.run { device in
      device.context.stream.active?.hub.consumers.contains { $0 is PhotoConsumer } == true
    }
    if isWaiting { camera.step() }
  }

  static let raw = VideoRequest(encoding: .raw)

  func bracket(
    _ steps: [BracketStep], _ request: VideoRequest = raw, into photos: Photos = Photos(),
    deliver: @escaping @Sendable (SequencePhoto) throws(CaptureError) -> Void = { _ in }
  ) async throws -> [SequencePhoto] {
    let task = start(steps, request, into: photos, deliver: deliver)
    try await outcome {
      try await task.value
    } while: {
      await step()
    }
    return photos.all
  }

  func start(
    _ steps: [BracketStep], _ request: VideoRequest = raw, into photos: Photos,
    deliver: @escaping @Sendable (SequencePhoto) throws(CaptureError) -> Void = { _ in }
  ) -> Task<Void, any Error> {
    Task { [device] in
      try await device.run { device in
        try await device.photos.captureBracket(
          steps, PhotoRequest(request), on: device, progress: { _ in }
        ) {
          (photo) throws(CaptureError) in
          photos.add(photo)
          try deliver(photo)
        }
      }
    }
  }

  /// A photo of the camera as it is.
  func photo() async throws -> Picture {
    var request = Self.raw
    request.settling = .zero
    let wanted = request
    return try await outcome { [device] in
      try await device.capturePhoto(wanted, requested: 0, progress: { _ in })
    } while: {
      await step()
    }
  }

  /// The values of all controls that no mode has taken over.
  func values() async throws -> [ControlID: ControlValue?] { try await PhysicsRig.values(device) }
}

extension Picture {
  /// The mean of the luma of YUYV, 0…255.
  var luma: Double {
    let bytes = payload.bytes
    let sum = stride(from: 0, to: bytes.count, by: 2).reduce(0) { $0 + Int(bytes[$1]) }
    return Double(sum) / Double(bytes.count / 2)
  }

  /// The mean difference of neighbours in its luma.
  var detail: Double {
    let bytes = payload.bytes
    let sum = stride(from: 2, to: bytes.count, by: 2).reduce(0) {
      $0 + abs(Int(bytes[$1]) - Int(bytes[$1 - 2]))
    }
    return Double(sum) / Double(bytes.count / 2)
  }
}
