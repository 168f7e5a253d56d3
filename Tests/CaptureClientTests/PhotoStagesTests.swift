import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureClient

/// A photo as a sequence of its stages, also when its connection is lost.
@Suite(.timeLimit(.minutes(1))) struct PhotoStagesTests {
  private func words(_ stages: [PhotoStage]) -> [String] {
    stages.map { stage in
      switch stage {
      case .willBegin: "begin"
      case .willCapture: "will"
      case .didCapture: "did"
      case .preview: "preview"
      case .photo(let photo): photo.fileType.rawValue
      }
    }
  }

  @Test func stagesComeInTheirOrder() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    var settings = PhotoSettings(settling: .zero)
    settings.fileTypes = [.jpeg, .png]
    settings.preview = FrameSize(width: 100, height: 100)
    settings.thumbnail = FrameSize(width: 160, height: 160)
    var stages: [PhotoStage] = []
    let sequence = node.camera("0").photoOutput.stages(of: settings)
    for try await stage in sequence { stages.append(stage) }
    #expect(words(stages) == ["begin", "will", "did", "preview", "jpeg", "png"])
    guard case .willBegin(let resolved) = stages[0], case .preview(let preview) = stages[3] else { return }
    #expect(resolved.files.map(\.type) == [.jpeg, .png])
    #expect(resolved.preview == FrameSize(width: 100, height: 75) && preview.info.size == resolved.preview)
    #expect(preview.payload.bytes.starts(with: [0xFF, 0xD8]))
    await live.stop()
  }

  @Test func aDryRunTakesNoPhoto() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let output = node.camera("0").photoOutput
    var settings = PhotoSettings()
    settings.fileTypes = [.dng]
    let resolved = try await output.resolve(settings)
    #expect(resolved.files == [.init(.dng, size: FrameSize(width: 320, height: 240), source: .rggb8)])
    #expect(try await node.status().cameras.first?.frames == 0)
    settings.size = FrameSize(width: 31, height: 7)
    settings.fileTypes = [.jpeg]
    let refused = settings
    let error = await #expect(throws: CaptureError.self) { try await output.resolve(refused) }
    #expect(error?.code == .invalidArgument)
    await live.stop()
  }

  @Test(arguments: [PhotoTime.ago(.seconds(Int64.max)), .utc(.min)])
  func aMomentBeforeAllTimeIsAnError(time: PhotoTime) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    var settings = PhotoSettings()
    settings.time = time
    let refused = settings
    let output = node.camera("0").photoOutput
    let error = await #expect(throws: CaptureError.self) { try await output.capturePhoto(refused) }
    #expect(error?.details?.field?.hasPrefix("settings.when") == true, "\(error?.message ?? "none")")
    await live.stop()
  }

  @Test func aLostConnectionGivesTheSamePhoto() async throws {
    let live = try await LiveNode("synthetic:320x240@10")
    let (node, cable) = try await live.client()
    var stages: [PhotoStage] = []
    let sequence = node.camera("0").photoOutput.stages(of: PhotoSettings(settling: .zero))
    for try await stage in sequence {
      stages.append(stage)
      if case .willCapture = stage { await cable.cut() }
    }
    #expect(words(stages) == ["begin", "will", "did", "jpeg"])
    await live.stop()
  }

  @Test func theSameIDGivesTheSamePhoto() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let (other, _) = try await live.client(reconnects: false)
    var settings = PhotoSettings(settling: .zero)
    settings.requestID = PhotoSettings.newRequestID()
    let first = try await node.camera("0").photoOutput.capturePhotoFiles(settings)
    let again = try await other.camera("0").photoOutput.capturePhotoFiles(settings)
    #expect(first[0].payload.bytes == again[0].payload.bytes)
    #expect(first[0].metadata?.imageID == again[0].metadata?.imageID && first[0].metadata != nil)
    settings.requestID = nil
    let new = try await node.camera("0").photoOutput.capturePhotoFiles(settings)
    #expect(new[0].metadata?.imageID != first[0].metadata?.imageID)
    await live.stop()
  }
}
