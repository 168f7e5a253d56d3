import CaptureModel

/// Sessions of the node's last run.
extension CaptureEngine {
  /// Makes those again whose cameras are there; the others wait for theirs. One that ran runs again as soon as its cameras can.
  func restoreSessions() async {
    await sessionTable.restoring.enterToCleanUp()
    defer { sessionTable.restoring.leave() }
    for (name, memory) in sessionTable.dormant.sorted(by: { $0.key < $1.key }) {
      // By identity: another camera that has it in its name is not meant.
      let cameras = cameras.map(\.description.id.rawValue)
      guard sessionTable.sessions[name] == nil,
        memory.configuration.inputs.allSatisfy({ cameras.contains($0.camera) })
      else { continue }
      do throws(CaptureError) {
        _ = try await configureSession(
          name, memory.configuration, owner: SessionOwner(connection: 0, name: memory.owner))
      } catch {
        // Its camera is missing, taken or without that format; it may be otherwise when the next one comes.
        sessionTable.dormant[name] = memory
        continue
      }
      if memory.isRunning { try? await session(name).runAgain() }
    }
  }

  func forgetSession(_ name: String) { store.keep(nil, named: name) }
}
