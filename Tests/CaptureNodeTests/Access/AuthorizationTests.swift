import CaptureAccess
import CaptureModel
import Testing

@testable import CaptureNode

@Suite struct AuthorizationTests {
  private var book: AccessBook
  private let laptop: Caller

  init() {
    let client = KnownClient(
      name: "laptop", secret: Secret.make().digest,
      grants: [AccessGrant(.view, cameras: CameraScope(["usb-1"]))])
    book = AccessBook(clients: [client])
    book.configured = [
      KnownClient(name: "controller", secret: Secret.make().digest, grants: [AccessGrant(.view)])
    ]
    laptop = Caller(.client, name: "laptop", role: .view).having(client.grants)
  }

  private func status(
    _ caller: Caller, _ role: AccessRole = .view, _ camera: String? = nil, at boottime: UInt64 = 100
  ) -> AuthorizationStatus {
    let question = Authorization.Question(role: role, camera: camera)
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
        of: laptop, to: .init(role: role, camera: camera), in: book, boottime: 100
      ).reason
    }
    #expect(reason(.view, "usb-22").contains("nobody has decided"))
    #expect(reason(.control, "usb-22").contains("may ask"))
    #expect(reason(.view, "usb-3").contains("may ask"))
    #expect(reason(.control, nil).contains("may ask"))
  }

  /// It controls the cameras of port a, and sees the others and what is kept of all.
  @Test func theAnswerIsOfTheMediumAndTheCamera() {
    let desk = Caller(.client, name: "desk", role: .control).having([
      AccessGrant(.control, cameras: CameraScope(["usb-a*"]), media: [.video]), AccessGrant(.view),
    ])
    func may(_ role: AccessRole, _ medium: AccessMedium?, _ camera: String?) -> Bool {
      let question = Authorization.Question(role: role, medium: medium, camera: camera)
      return Authorization(of: desk, to: question, in: book, boottime: 100).status == .authorized
    }
    #expect(may(.control, .video, "usb-a1") && !may(.control, .video, "usb-b1"))
    #expect(may(.view, .video, "usb-b1") && may(.view, .library, "usb-b1"))
    #expect(may(.control, nil, nil) && may(.control, .video, nil) && !may(.control, .library, nil))
  }
}
