import CaptureClient
import CaptureOptions
import Testing

@testable import capturectl

@Suite struct SessionConfigurationTests {
  private typealias Configuration = SessionConfiguration

  private func changed(_ configuration: Configuration, _ options: String) throws
    -> Configuration
  {
    let words = ["session", "configure", "door"] + options.split(separator: " ").map(String.init)
    guard case .run(let arguments) = try Program.capturectl.parse(words, environment: { _ in nil }) else {
      throw Failure("printed")
    }
    var configuration = configuration
    try configuration.change(as: arguments)
    return configuration
  }

  @Test func aNewSessionHasTwoOutputs() throws {
    let made = try changed(Configuration(), "--input 0 --preset medium --orientation 90 --mirror")
    #expect(made.inputs == [.init(camera: "0")] && made.preset == .medium)
    #expect(made.outputs.map(\.name) == ["video", "photo"])
    #expect(made.connections.allSatisfy { $0.orientation == 90 && $0.isMirrored })
  }

  @Test func whatIsNotNamedStays() throws {
    let made = try changed(Configuration(), "--input 0 --format YUYV --size 640x480 --rate 15")
    #expect(made.inputs[0].format?.interval?.rate == 15)
    let turned = try changed(made, "--crop-factor 2 --only photo --disable")
    #expect(turned.inputs == made.inputs && turned.outputs == made.outputs)
    #expect(turned.connections.map(\.cropFactor) == [1, 2])
    #expect(turned.connections.map(\.isEnabled) == [true, false])
    #expect(try changed(turned, "--input 1").connections.map(\.cropFactor) == [1, 2])
    #expect(try changed(turned, "--input 1").inputs == [.init(camera: "1", format: made.inputs[0].format)])
    #expect(try changed(turned, "--preset high").inputs == [.init(camera: "0")])
    let slower = try changed(made, "--rate 5")
    #expect(slower.inputs[0].format?.size == made.inputs[0].format?.size)
    #expect(slower.inputs[0].format?.pixelFormat == .yuyv && slower.inputs[0].format?.interval?.rate == 5)
    #expect(try changed(turned, "--enable").connections.allSatisfy(\.isEnabled))
  }

  @Test func anOutputThatThereIsNotIsRefusedNamingThoseThereAre() throws {
    let made = try changed(Configuration(), "--input 0")
    let error = #expect(throws: CaptureError.self) { try changed(made, "--only vidoe --disable") }
    #expect(error?.code == .notFound)
    #expect(error?.message == "the session has no output 'vidoe' for --only; its outputs: 'video', 'photo'")
  }

  @Test func twoCamerasHaveAnOutputEachAndKeepThem() throws {
    let pair = try changed(Configuration(), "--input a --input b --video left=a --video right=b")
    #expect(pair.connections.map(\.camera) == ["a", "b"])
    #expect(try changed(pair, "--input a --input c").connections.map(\.camera) == ["a", "c"])
    #expect(try changed(pair, "--input c").connections.map(\.camera) == ["c", ""])
  }
}
