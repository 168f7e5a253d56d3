import CaptureAccess
import CaptureModel
import Testing

@testable import CaptureNode

@Suite struct AuthorizationTests {
  private var book: AccessBook
  private let laptop: Caller

  init() {
    var client = KnownClient(name: "laptop", secret: Secret.make().digest, role: .view)
    client.cameras = CameraScope(["usb-1"])
    book = AccessBook(clients: [client])
    book.configured = [KnownClient(name: "controller", secret: Secret.make().digest, role: .view)]
    var caller = Caller(.client, name: "laptop", role: .view)
    caller.cameras = client.cameras
    laptop = caller
  }

  private func status(
    _ caller: Caller, _ role: AccessRole = .view, _ camera: String? = nil, at boottime: UInt64 = 100
  ) -> Authorization.Status {
    let question = Authorization.Question(
      role: role, camera: camera, isSeen: camera.map(caller.cameras.covers) ?? true)
    return Authorization(of: caller, to: question, in: book, boottime: boottime).status
  }

  @Test func whatACallerHasIsAuthorized() {
    #expect(status(laptop) == .authorized && status(laptop, .view, "usb-1") == .authorized)
    #expect(status(.trusted, .admin, "usb-9") == .authorized)
    #expect(status(Caller(.user(0), name: "root", role: .admin), .control) == .authorized)
  }

  @Test func forWhatItHasNotAPairedClientMayAsk() {
    #expect(status(laptop, .control) == .notDetermined)
    #expect(status(laptop, .view, "usb-2") == .notDetermined)
    #expect(status(laptop, .control, "usb-1") == .notDetermined)
  }

  @Test func whoCannotAskIsRestricted() {
    #expect(status(.unknown) == .restricted)
    #expect(status(laptop, .admin) == .restricted)
    #expect(status(Caller(.client, name: "controller", role: .view), .control) == .restricted)
    #expect(status(Caller(.user(1000), name: "user 1000", role: .control), .admin) == .restricted)
    #expect(status(Caller(.trusted, name: "", role: .control), .admin) == .restricted)
  }

  @Test mutating func aDenialIsToldUntilTheClientMayAskAgain() throws {
    _ = book.ask("laptop", for: .init(role: .control), from: "", now: 0, boottime: 100)
    #expect(status(laptop, .control) == .notDetermined)
    _ = book.decide("laptop", number: nil, approves: false, now: 0, boottime: 100)
    #expect(status(laptop, .control) == .denied && status(laptop, .view, "usb-2") == .denied)
    #expect(status(laptop) == .authorized, "it has lost nothing")
    #expect(status(laptop, .control, at: 100 + AccessRequests.denialLife) == .notDetermined)
  }

  @Test mutating func itSaysWhetherWhatIsMeantWasAskedFor() {
    _ = book.ask("laptop", for: .init(cameras: ["usb-2*"]), from: "", now: 0, boottime: 100)
    func reason(_ role: AccessRole, _ camera: String?) -> String {
      Authorization(
        of: laptop, to: .init(role: role, camera: camera, isSeen: camera == nil), in: book, boottime: 100
      ).reason
    }
    #expect(reason(.view, "usb-22").contains("nobody has decided"))
    #expect(reason(.control, "usb-22").contains("may ask"))
    #expect(reason(.view, "usb-3").contains("may ask"))
    #expect(reason(.control, nil).contains("may ask"))
  }
}
