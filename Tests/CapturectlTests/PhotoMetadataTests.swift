import Foundation
import Testing

/// A photo's EXIF, as a person asks for it.
@Suite(.serialized) struct PhotoMetadataTests {
  @Test func tagsAreWrittenIntoThePhotoAndTold() async throws {
    let node = try SpawnedNode(camera: "synthetic:320x240@30")
    let photo = try await node.shell(
      "capturectl --json photo 0 --tag Artist=Ada --tag 'Copyright=Ada, 2026' -o tagged.jpg && grep -c 'Ada, 2026' tagged.jpg"
    )
    #expect(photo.status == 0, "\(photo)")
    let line = try #require(photo.output.split(separator: "\n").first { $0.hasPrefix("{") })
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let metadata = try #require(object["metadata"] as? [String: Any])
    #expect(metadata["tags"] as? [String: String] == ["Artist": "Ada", "Copyright": "Ada, 2026"])
    #expect(metadata["camera"] as? String == "synthetic-0")
    let plain = try await node.shell(
      "capturectl --json photo 0 --no-metadata -o plain.jpg && grep -c Exif plain.jpg")
    #expect(
      plain.output.contains("\"metadata\":null") || plain.output.contains("\"metadata\": null"), "\(plain)")
    #expect(plain.output.hasSuffix("\n0\n"), "\(plain)")
  }

  @Test(arguments: [
    ("--tag Author=Ada", "there are: Artist, Copyright, ImageDescription, UserComment, CameraOwnerName"),
    ("--tag Artist", "like Artist=Ada"), ("--tag Artist=", "has 0 bytes; it has 1 to 2000"),
    ("--tag Artist=Ada --tag Artist=Bob", "names Artist twice"),
    ("--tag Artist=Ada --no-metadata", "--tag and --no-metadata exclude each other"),
  ])
  func whatCannotBeWrittenIsRefused(options: String, text: String) async throws {
    let node = try SpawnedNode(camera: "synthetic:320x240@30")
    let photo = try await node.shell("capturectl photo 0 \(options) -o /dev/null 2>&1")
    #expect(photo.status == 2 && photo.output.contains(text), "\(photo)")
  }
}
