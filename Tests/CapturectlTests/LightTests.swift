import Foundation
import Testing

/// Torch and flash, as a person meets them.
@Suite(.serialized) struct LightTests {
  private static func object(_ text: String) throws -> [String: Any] {
    let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("{") })
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func theFlashFiresWithPhotosOfADarkScene() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,delay=1,light=-12")
    let about = try await node.shell("capturectl describe 0 | grep flash")
    #expect(
      about.output.contains(
        "off, on (by the node), auto (by the node); through the torch (V4L2 flash controls)"),
      "\(about.output)")
    let off = try await node.shell("capturectl --json photo 0 -o /dev/null")
    #expect(try Self.object(off.output)["flash"] is NSNull, "\(off.output)")
    let photo = try await node.shell(
      "capturectl flash 0 auto && capturectl photo 0 -o /dev/null && capturectl --json photo 0 -o /dev/null")
    #expect(photo.status == 0 && photo.output.contains("auto, by the node"), "\(photo)")
    #expect(photo.output.contains(", flash fired\n"), "\(photo)")
    let object = try Self.object(photo.output)
    #expect(object["flash"] as? String == "fired", "\(photo.output)")
    let settings = (object["info"] as? [String: Any])?["settings"] as? [String: Any]
    #expect((settings?["torch_level"] as? [String: Any])?["value"] as? Double == 1)
    // Nothing of it burns on, and a torch that is switched on ends it.
    let torch = try await node.shell("capturectl torch 0 && capturectl torch 0 on && capturectl flash 0")
    #expect(torch.output.contains("off") && torch.output.contains("on, shining"), "\(torch.output)")
    #expect(!torch.output.contains("auto"), "\(torch.output)")
  }

  @Test func inTheLightItIsNotNeededAndTheTorchStaysOff() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:320x240@30,manual,light=2")
    let photo = try await node.shell("capturectl flash 0 auto && capturectl photo 0 -o /dev/null")
    #expect(photo.output.contains(", flash not needed\n"), "\(photo)")
    let torch = try await node.shell("capturectl torch 0 auto && capturectl flash 0")
    #expect(torch.output.contains("auto") && torch.output.contains("by the node"), "\(torch.output)")
    #expect(torch.output.split(separator: "\n").last?.contains("off") == true, "\(torch.output)")
  }

  @Test func anAutomaticTorchIsOnInTheDarkWhileSomebodyLooks() async throws {
    let node = try SpawnedNode(camera: "synthetic:physics:160x120@30,light=-14")
    let lit = try await node.shell(
      """
      capturectl torch 0 auto --level 0.5
      capturectl stream 0 --format YUYV --duration 100 -o - > /dev/null & stream=$!
      for try in $(seq 400); do capturectl torch 0 | grep -q shining && break; sleep 0.05; done
      capturectl torch 0; kill -INT $stream; wait $stream
      for try in $(seq 400); do capturectl torch 0 | grep -q shining || break; sleep 0.05; done
      capturectl torch 0
      """)
    let lines = lit.output.split(separator: "\n")
    #expect(
      lines.count == 3 && lines[1].contains("auto, shining") && lines[1].contains("level 0.5"), "\(lit)")
    #expect(lines.last?.contains("auto") == true && lines.last?.contains("shining") == false, "\(lit)")
  }
}
