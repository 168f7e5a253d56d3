import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureNode

@Suite(.timeLimit(.minutes(1))) struct UnreadPhotoTests {
  @Test func aClientThatDoesNotReadItsPhotoKeepsTheCameraFromNobody() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let hesitant = try await ClientConnection.connect(to: fixture.address)
    let unread = try await PhotosClient(hesitant).capture(
      CapturePhotoRequest(device: "0"), options: CallOptions(window: 1))
    var stages: [PhotoEvent.Stage] = []
    let read = try await fixture.photos.capture(CapturePhotoRequest(device: "0"), options: bounded)
    for try await event in read { stages.append(event.stage) }
    #expect(stages == [.willBegin, .willCapture, .didCapture, .photo])
    unread.call.cancel()
    await hesitant.close()
    await fixture.stop()
  }

  @Test func photosThatWaitHaveABound() throws {
    let photos = UnreadBytes(.unreadPhotoBytes, bound: 100, of: "photos")
    var waiting = [try photos.room(for: 90)]
    waiting.append(try photos.room(for: 3))
    #expect(photos.waiting == 93)
    waiting.removeLast()
    let error = #expect(throws: CaptureError.self) { try photos.room(for: 20) }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "unreadPhotoBytes")
    waiting = []
    #expect(photos.waiting == 0)
    // One that is larger than the bound is taken alone.
    waiting.append(try photos.room(for: 200))
    #expect(photos.waiting == 200)
    waiting = []
    #expect(photos.waiting == 0)
  }

  @Test func readingBackHasTheRoomThatAPhotoHadBeforeItWasStored() throws {
    let photos = UnreadBytes(.unreadPhotoBytes, bound: 100, of: "photos")
    let readBack = ReadBackRoom()
    var waiting: [UnreadBytes.Room?] = []
    /// A photo of which 2 bytes are told, and the others are read back.
    func store(_ size: Int) throws {
      let room = try photos.room(for: size + 2)
      waiting += [readBack.take(size, of: room), room]
      room.shrink(to: 2)
    }
    try store(40)
    #expect(photos.waiting == 42)
    // One file at a time is read.
    try store(30)
    #expect(photos.waiting == 44)
    // Only the largest counts.
    try store(50)
    #expect(photos.waiting == 56)
    waiting.removeFirst(4)
    #expect(photos.waiting == 52)
    waiting = []
    #expect(photos.waiting == 0)
    try store(90)
    #expect(photos.waiting == 92)
    #expect(readBack.take(0, of: try photos.room(for: 1)) == nil)
  }
}
