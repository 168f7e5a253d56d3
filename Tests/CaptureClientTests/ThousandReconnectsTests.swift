import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import CaptureClient

/// A connection that is lost again and again, as fast as it is made.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ThousandReconnectsTests {
  /// `RECONNECTS` in the environment: how many, in a process that does nothing else. Only then what belongs to the whole process is compared.
  private static let alone = ProcessInfo.processInfo.environment["RECONNECTS"].flatMap { Int($0) }
  private static let reconnects = alone ?? 100

  /// What could grow.
  private struct Footprint: CustomStringConvertible {
    var resident: Int
    var descriptors: Int
    var threads: Int
    /// Connections of the past that somebody still holds: a task or a continuation that was lost would.
    var connections: Int
    /// Calls that run on the node.
    var calls: Int

    init(of cable: Cable, _ node: RemoteNode) async throws {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      resident = Int(pages[1])! * Int(sysconf(Int32(_SC_PAGESIZE)))
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      connections = cable.existing
      calls = try await node.status().calls
    }

    var description: String {
      "\(resident >> 20) MB, \(descriptors) descriptors, \(threads) threads, \(connections) connections, \(calls) calls"
    }
  }

  private func footprint(_ cable: Cable, _ node: RemoteNode) async throws -> Footprint {
    await eventually("no connection of the past is held") { cable.existing == 1 }
    // The three that are read, and the one that keeps the camera; the call for the status itself.
    await eventually("the node has no calls of the past") { (try? await node.status().calls) == 5 }
    return try await Footprint(of: cable, node)
  }

  @Test func nothingIsLostAndNothingGrows() async throws {
    // Recent frames would fill their bound meanwhile, 20 MB for each camera.
    var limits = NodeLimits()
    limits[.recentFrameBytesPerCamera] = 0
    let live = try await LiveNode("synthetic:160x120@120", "synthetic:160x120@120", limits: limits)
    let (node, cable) = try await live.client()
    let (other, _) = try await live.client()
    let (kept, keeps) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let keeping = Task {
      defer { keeps.finish() }
      for try await _ in other.camera("0").videoOutput.frames() { keeps.yield() }
    }
    _ = await kept.first { true }
    let session = try await other.makeSession("door") { configuration throws(CaptureError) in
      configuration.addInput(other.camera("1"))
      configuration.addOutput(.video)
    }
    var settings = node.camera("0").settingsEvents(names: ["exposure"]).makeAsyncIterator()
    var events = node.session("door").events().makeAsyncIterator()
    var frames = node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await settings.next()
    _ = try await events.next()
    _ = try await frames.next()
    var last = try #require(try await frames.next()).info
    var first: Footprint?
    // How many frames are missing that the node did not count as discarded.
    var unexplained: UInt64 = 0

    for number in 1...Self.reconnects {
      await cable.cut()
      // What happens while nobody can tell.
      let duration = Double(number % 7 + 1) / 1000
      var change = SettingsChange()
      change.exposure.duration = duration
      try await other.camera("0").change(change)
      let revision = try await session.commit { configuration throws(CaptureError) in
        configuration.preset = number % 2 == 0 ? .low : .medium
      }.revision

      // What had come before the cut is read first, of each. The change may be told in an event of its own, where the watch was there again before it.
      var setting = try #require(try await settings.next())
      while setting.resumption == nil { setting = try #require(try await settings.next()) }
      #expect(setting.resumption?.cause == .connectionLost && setting.resumption?.isNewNode == false)
      var changed = Set(setting.changed)
      while setting.settings.exposure?.duration?.value != duration {
        setting = try #require(try await settings.next())
        changed.formUnion(setting.changed)
      }
      #expect(changed.contains("exposure.duration"))

      var event = try #require(try await events.next())
      while event.resumption == nil { event = try #require(try await events.next()) }
      #expect(event.resumption?.cause == .connectionLost && event.kind == .status)
      while event.status.revision != revision { event = try #require(try await events.next()) }

      var frame = try #require(try await frames.next())
      while frame.resumption == nil {
        let least = last.sequence + 1 + frame.discarded
        #expect(frame.info.sequence >= least)
        unexplained += max(frame.info.sequence, least) - least
        last = frame.info
        frame = try #require(try await frames.next())
      }
      #expect(frame.resumption?.missedFrames == frame.info.sequence - last.sequence - 1)
      last = frame.info
      if number == min(100, Self.reconnects / 2) { first = try await footprint(cable, node) }
    }
    // On a busy machine the camera itself loses frames; nobody else may.
    let camera = try #require(try await node.status().cameras.first)
    #expect(unexplained <= camera.framesLost)
    let (early, late) = (try #require(first), try await footprint(cable, node))
    #expect(late.connections == early.connections && late.calls == early.calls)
    if Self.alone != nil {
      print("after \(Self.reconnects) reconnects: \(late); before: \(early)")
      #expect(late.resident - early.resident < 6 << 20)
      #expect(late.descriptors <= early.descriptors && late.threads <= early.threads + 2)
    }
    keeping.cancel()
    await live.stop()
  }
}
