import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct UnreadPhotoTests {
  @Test func aClientThatDoesNotReadItsPhotoKeepsTheCameraFromNobody() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let hesitant = try await ClientConnection.connect(to: fixture.address)
    let unread = try await PhotosClient(hesitant).capture(
      CapturePhotoRequest(device: "0"), options: CallOptions(window: 1))
    var stages: [PhotoEvent.Stage] = []
    let read = try await fixture.photos.capture(CapturePhotoRequest(device: "0"), options: bounded)
    for try await event in read { stages.append(event.stage) }
    #expect(stages == [.willCapture, .didCapture, .photo])
    unread.call.cancel()
    await hesitant.close()
    await fixture.stop()
  }
}
