import CaptureModel
import CaptureV4L2
import Synchronization

/// A provider's cameras as its events tell of them.
final class Cameras: Sendable {
  private struct State {
    var present: [CameraID: any Camera] = [:]
    var history: [String] = []
  }
  private let state = Mutex(State())
  let provider: V4L2Provider

  init(
    _ selection: CameraSelection = .all, bufferLimit: Int = V4L2Provider.standardBufferLimit
  ) async {
    provider = V4L2Provider(selection: selection, bufferLimit: bufferLimit)
    await provider.start { [weak self] event in
      self?.state.withLock { state in
        switch event {
        case .appeared(let camera):
          state.present[camera.description.id] = camera
          state.history.append("appeared \(camera.description.id)")
        case .vanished(let id):
          state.present[id] = nil
          state.history.append("vanished \(id)")
        }
      }
    }
  }

  var all: [any Camera] {
    state.withLock { $0.present.values.sorted { $0.description.id.rawValue < $1.description.id.rawValue } }
  }
  var history: [String] { state.withLock { $0.history } }

  subscript(id: CameraID) -> (any Camera)? { state.withLock { $0.present[id] } }

  /// What the process opens when it first uses it, and keeps: the timer of tasks that sleep, and what `Process` waits with. It is open before a test
  /// counts descriptors.
  private static let opened = Task {
    try run("true")
    try await Task.sleep(for: .milliseconds(1))
  }

  /// Runs `body` with both vivid cameras; closes them afterwards.
  static func with(_ body: (Cameras) async throws -> Void) async throws {
    try await opened.value
    let cameras = await Cameras()
    do {
      try await wait(for: "both vivid cameras") { cameras.all.count == 2 }
      try await body(cameras)
    } catch {
      await cameras.provider.stop()
      throw error
    }
    await cameras.provider.stop()
  }

  /// Runs `body` with one of them.
  static func with(_ id: CameraID, _ body: (any Camera) async throws -> Void) async throws {
    try await with { cameras in
      guard let camera = cameras[id] else { throw TimedOut(description: "no camera \(id)") }
      try await body(camera)
    }
  }
}

extension Camera {
  /// Sets controls by name.
  func set(_ values: KeyValuePairs<String, ControlValue>) async throws {
    let controls = try await controls()
    for (name, value) in values {
      guard let id = controls.first(where: { $0.name == name })?.id else {
        throw CaptureError(.notFound, "no control \(name)")
      }
      try await set([ControlAssignment(id, value)])
    }
  }

  func value(_ name: String) async throws -> ControlValue? {
    guard let id = try await controls().first(where: { $0.name == name })?.id else { return nil }
    return try await values(of: [id]).first
  }

  /// Presses a button.
  func press(_ name: String) async throws { try await set([name: .integer(1)]) }
}
