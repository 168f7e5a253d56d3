import CaptureModel
import CaptureTLS
import Testing

@testable import CaptureAccess

@Suite struct AccessRequestsTests {
  private typealias Rights = AccessRequests.Rights

  private func book(_ names: String..., expires: Int64? = nil) -> AccessBook {
    AccessBook(
      clients: names.map { name in
        KnownClient(
          name: name, secret: Secret.make().digest,
          grants: [AccessGrant(.view, cameras: CameraScope(["usb-1"]))], created: 1, expires: expires)
      })
  }

  @discardableResult
  private func ask(
    _ book: inout AccessBook, _ name: String = "laptop", _ wanted: Rights = Rights(role: .control),
    boottime: UInt64 = 100
  ) -> Result<AccessBook.Asking, AccessBook.AskingRefusal> {
    book.ask(name, for: wanted, from: "192.0.2.1:5", now: 1_000, boottime: boottime)
  }

  private func decide(
    _ book: inout AccessBook, approves: Bool, number: UInt64? = nil, boottime: UInt64 = 200
  ) -> Result<KnownClient, AccessBook.DecisionRefusal> {
    book.decide("laptop", number: number, approves: approves, now: 2_000, boottime: boottime)
  }

  @Test func anApprovalGivesWhatWasAskedFor() throws {
    var book = book("laptop")
    ask(&book, "laptop", Rights(role: .control, cameras: ["usb-*"]))
    let pending = book.pending(now: 0, boottime: 100)
    #expect(pending.map(\.request.client) == ["laptop"] && pending[0].request.peer == "192.0.2.1:5")
    let client = try decide(&book, approves: true).get()
    #expect(client == book.clients[0])
    #expect((client.role, client.cameras.patterns) == (.control, ["usb-*"]))
    #expect(book.pending(now: 0, boottime: 100).isEmpty)
    #expect(decide(&book, approves: true) == .failure(.noRequest))
  }

  @Test func aRoleStaysWhereCamerasAreAskedForAndTheOtherWayRound() throws {
    for (wanted, role, cameras) in [
      (Rights(cameras: ["pci-1"]), AccessRole.view, ["usb-1", "pci-1"]),
      (Rights(role: .control), .control, ["usb-1"]),
    ] {
      var book = book("laptop")
      ask(&book, "laptop", wanted)
      let client = try decide(&book, approves: true).get()
      #expect((client.role, client.cameras.patterns) == (role, cameras))
    }
  }

  /// What is not named stays as it is, in each grant.
  @Test(
    arguments: [
      (Rights(role: .control, cameras: ["usb-2"]), [.video, .library], ["view:usb-1", "control:usb-2"]),
      (
        Rights(role: .control, cameras: ["usb-2"], media: [.video]), [.video],
        ["view:usb-1", "control/video:usb-2"]
      ),
      (Rights(role: .control, media: [.video]), [.video], ["view:usb-1", "control/video:usb-1"]),
      (Rights(cameras: ["usb-2"]), [.video, .library], ["view:usb-1 usb-2"]),
      (Rights(cameras: ["usb-2"], media: [.library]), [.library], ["view:usb-1", "view/library:usb-2"]),
    ] as [(AccessRequests.Rights, Set<AccessMedium>, [String])])
  func anApprovalAddsAGrant(wanted: AccessRequests.Rights, of media: Set<AccessMedium>, grants: [String])
    throws
  {
    var book = book("laptop")
    ask(&book, "laptop", wanted)
    let client = try decide(&book, approves: true).get()
    #expect(client.grants.map(Self.text) == grants)
    #expect(client.grants.last?.media == media)
    #expect(ask(&book, "laptop", wanted) == .success(.alreadyGranted))
  }

  private static func text(_ grant: AccessGrant) -> String {
    let medium = grant.media.count == 1 ? "/\(grant.mediaNames[0])" : ""
    return "\(grant.role.rawValue)\(medium):\(grant.cameras.patterns.joined(separator: " "))"
  }

  @Test(
    arguments: [
      (Rights(media: [.library]), ["control/video:usb-1"], ["control/video:usb-1", "view/library:usb-1"]),
      (
        Rights(media: [.video, .library]), ["control/video:usb-1"],
        ["control/video:usb-1", "view/library:usb-1"]
      ),
      (
        Rights(cameras: ["usb-2"], media: [.library]), ["control/video:usb-1", "view/library:pci-1"],
        ["control/video:usb-1", "view/library:pci-1 usb-2"]
      ),
      (
        Rights(media: [.library]), ["view/video:usb-1", "control/library:pci-1"],
        ["view/video:usb-1", "control/library:pci-1 usb-1"]
      ),
    ] as [(AccessRequests.Rights, [String], [String])])
  func aRoleForOneMediumIsNoneForAnother(wanted: AccessRequests.Rights, own: [String], grants: [String])
    throws
  {
    var book = AccessBook(clients: [
      KnownClient(
        name: "laptop", secret: Secret.make().digest, grants: try own.map { try AccessGrant(parsing: $0) })
    ])
    ask(&book, "laptop", wanted)
    #expect(try decide(&book, approves: true).get().grants.map(Self.text) == grants)
    #expect(ask(&book, "laptop", wanted) == .success(.alreadyGranted))
  }

  @Test func whoReadsTheLibraryAloneAsksForVideo() throws {
    let grant = AccessGrant(.view, cameras: CameraScope(["usb-1"]), media: [.library])
    var book = AccessBook(
      clients: [KnownClient(name: "laptop", secret: Secret.make().digest, grants: [grant])])
    #expect(book.access(of: "laptop", to: "usb-1", boottime: 100) == .notRequested)
    // A camera more is one more of the library.
    ask(&book, "laptop", Rights(cameras: ["usb-2"]))
    #expect(book.access(of: "laptop", to: "usb-2", boottime: 100) == .notRequested)
    ask(&book, "laptop", Rights(cameras: ["usb-2"], media: [.video]))
    #expect(book.access(of: "laptop", to: "usb-2", boottime: 100) == .requested)
    _ = try decide(&book, approves: true).get()
    #expect(book.access(of: "laptop", to: "usb-2", boottime: 100) == .visible)
    #expect(book.access(of: "laptop", to: "usb-1", boottime: 100) == .notRequested)
    // Without cameras it asks for those of which it has the library.
    ask(&book, "laptop", Rights(media: [.video]))
    #expect(book.access(of: "laptop", to: "usb-1", boottime: 100) == .requested)
    #expect(book.access(of: "laptop", to: "usb-3", boottime: 100) == .notRequested)
  }

  @Test func whoAsksForARoleHasAskedForNoCamera() {
    var book = book("laptop")
    ask(&book)
    #expect(book.access(of: "laptop", to: "usb-1", boottime: 100) == .visible)
    #expect(book.access(of: "laptop", to: "usb-2", boottime: 100) == .notRequested)
  }

  @Test func aClientGetsNoMoreGrantsThanOneMayHave() {
    let grants = (0..<AccessGrant.most).map {
      AccessGrant(.view, cameras: CameraScope(["usb-\($0)"]), media: [$0 % 2 == 0 ? .video : .library])
    }
    var book = AccessBook(
      clients: [KnownClient(name: "laptop", secret: Secret.make().digest, grants: grants)])
    let asked = ask(&book, "laptop", Rights(role: .control, cameras: ["pci-1"], media: [.video]))
    requireNoRoom(asked, .grantsPerClient, "laptop would have \(AccessGrant.most + 1) grants")
  }

  @Test func anotherRequestTakesThePlaceOfTheFirst() throws {
    var book = book("laptop")
    ask(&book)
    let first = book.pending(now: 0, boottime: 100)[0].request
    // The same again is the same.
    ask(&book, boottime: 150)
    #expect(book.pending(now: 0, boottime: 150).map(\.request.number) == [first.number])
    ask(&book, "laptop", Rights(cameras: ["*"]))
    let second = try #require(book.pending(now: 0, boottime: 150).first?.request)
    #expect(book.pending(now: 0, boottime: 150).count == 1 && second.number != first.number)
    // Nobody approves what he has not seen.
    #expect(decide(&book, approves: true, number: first.number) == .failure(.otherRequest(second.number)))
    #expect(book.clients[0].role == .view && book.clients[0].cameras.patterns == ["usb-1"])
    #expect(try decide(&book, approves: true, number: second.number).get().cameras.patterns == ["*"])
  }

  @Test func whatAClientHasItDoesNotAskFor() {
    var book = book("laptop")
    ask(&book)
    #expect(ask(&book, "laptop", Rights(role: .view, cameras: ["usb-1"])) == .success(.alreadyGranted))
    #expect(book.pending(now: 0, boottime: 100).isEmpty, "it took the place of the other")
  }

  @Test func aRequestEndsAfterADay() {
    var book = book("laptop")
    ask(&book)
    let end = 100 + AccessRequests.life
    #expect(book.pending(now: 0, boottime: end - 1).count == 1 && book.pending(now: 0, boottime: end).isEmpty)
    #expect(decide(&book, approves: true, boottime: end) == .failure(.noRequest))
    #expect(book.requests.nextEnd(after: 100) == end && book.requests.nextEnd(after: end) == nil)
  }

  @Test func aRequestEndsWithItsClient() {
    var book = book("laptop", "tablet")
    ask(&book, "laptop")
    ask(&book, "tablet")
    _ = book.revoke("laptop")
    #expect(book.pending(now: 0, boottime: 100).map(\.client.name) == ["tablet"])
    #expect(decide(&book, approves: true) == .failure(.gone))
    book.forgetClients()
    #expect(book.requests.all(at: 100).isEmpty)
    #expect(ask(&book, "tablet") == .failure(.cannotAsk))
  }

  @Test func whoseRightIsOverHasNoRequest() {
    var book = book("laptop", expires: 1_500)
    #expect((try? ask(&book).get()) != nil)
    #expect(
      book.pending(now: 1_499, boottime: 100).count == 1 && book.pending(now: 1_500, boottime: 100).isEmpty)
    #expect(decide(&book, approves: true) == .failure(.gone))
  }

  @Test func clientsOfTheConfigurationCannotAsk() {
    var book = AccessBook()
    book.configured = [
      KnownClient(name: "controller", secret: Secret.make().digest, grants: [AccessGrant(.view)])
    ]
    #expect(ask(&book, "controller") == .failure(.cannotAsk))
  }

  @Test func whoWasDeniedAsksAgainAfterAnHour() throws {
    var book = book("laptop")
    ask(&book)
    #expect(try decide(&book, approves: false).get().role == .view)
    let denial = try #require(book.requests.denial(of: "laptop", at: 201))
    #expect((denial.denied, denial.end) == (2_000, 200 + AccessRequests.denialLife))
    #expect(ask(&book, boottime: denial.end - 1) == .failure(.denied(denial)))
    #expect(decide(&book, approves: true) == .failure(.noRequest))
    #expect(book.requests.denial(of: "laptop", at: denial.end) == nil)
    #expect((try? ask(&book, boottime: denial.end).get()) != nil)
  }

  @Test func aClientOfThatNameThatComesLaterWasNotDenied() {
    var book = book("laptop")
    ask(&book)
    _ = decide(&book, approves: false)
    _ = book.revoke("laptop")
    book.clients.append(
      KnownClient(name: "laptop", secret: Secret.make().digest, grants: [AccessGrant(.view)]))
    #expect((try? ask(&book).get()) != nil)
  }

  @Test func asManyClientsAskAsMay() {
    let names = (0...AccessRequests.most).map { "client-\($0)" }
    var book = AccessBook(
      clients: names.map { KnownClient(name: $0, secret: Secret.make().digest, grants: [AccessGrant(.view)]) }
    )
    for name in names.dropLast() { #expect((try? ask(&book, name).get()) != nil) }
    #expect(ask(&book, names.last!) == .failure(.tooManyRequests))
    // Another one of the same client takes no room, and one that is withdrawn gives some.
    #expect((try? ask(&book, names[0], Rights(role: .control, cameras: ["*"])).get()) != nil)
    #expect(book.withdraw(names[1]) && !book.withdraw(names[1]))
    #expect((try? ask(&book, names.last!).get()) != nil)
    // Those that have ended have made room too.
    #expect((try? ask(&book, names[1], boottime: 100 + AccessRequests.life).get()) != nil)
  }

  @Test func aClientGetsNoMorePatternsThanOneMayHave() {
    var book = book("laptop")
    let many = (0..<CameraScope.most).map { "pci-\($0)" }
    let asked = ask(&book, "laptop", Rights(cameras: many))
    requireNoRoom(asked, .patternsPerClient, "laptop would have \(CameraScope.most + 1) patterns")
    #expect((try? ask(&book, "laptop", Rights(cameras: Array(many.dropLast()))).get()) != nil)
  }

  private func requireNoRoom(
    _ asked: Result<AccessBook.Asking, AccessBook.AskingRefusal>, _ limit: NodeLimit, _ beginning: String
  ) {
    guard case .failure(.noRoom(let error)) = asked else {
      Issue.record("\(asked)")
      return
    }
    #expect(error.code == .resourceExhausted && error.message.hasPrefix(beginning), "\(error)")
    #expect(error.details == limit.exceeded("").about(field: "cameras").details)
  }
}
