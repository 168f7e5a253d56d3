import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Synchronization

/// Keeps everything, as long as the test.
final class TestStore: MemoryStore {
  private struct Kept {
    var cameras: [CameraID: CameraMemory] = [:]
    var sessions: [String: SessionMemory] = [:]
    var sessionSaves: [SessionMemory?] = []
  }
  private let kept = Mutex(Kept())
  /// When what it has is written, and whether it can be.
  let writes = HeldWrites()

  func memory(of camera: CameraID) -> CameraMemory {
    kept.withLock { $0.cameras[camera] } ?? CameraMemory()
  }
  func save(_ memory: CameraMemory, of camera: CameraID) { kept.withLock { $0.cameras[camera] = memory } }
  var sessions: [String: SessionMemory] { kept.withLock { $0.sessions } }
  func save(_ session: SessionMemory?, named name: String) {
    kept.withLock { kept in
      kept.sessions[name] = session
      kept.sessionSaves.append(session)
    }
  }
  /// What was kept of sessions so far, one after the other.
  var sessionSaves: [SessionMemory?] { kept.withLock { $0.sessionSaves } }
  nonisolated(nonsending) func flush() async throws(CaptureError) { try await writes.write() }
}
