import CaptureModel
import CaptureWire
import Testing

@testable import CaptureClient

@Suite(.timeLimit(.minutes(1))) struct AuthorizationTests {
  private typealias Answer = AccessStatusResponse

  private static let asked = Answer(
    role: .view, authorization: .notDetermined,
    wanted: CaptureWire.WantedAccess(cameras: ["usb-*"], role: .control, askedS: 5))

  /// A node that answers a request, changes, and questions, each in turn.
  private func node(
    asked: Answer, changes: [Answer] = [], status: [Answer] = []
  ) -> (RemoteNode, FakeConnection) {
    let connection = FakeConnection(inTurn: [
      AccessMethods.request: [.init(messages: [asked.raw()])],
      AccessMethods.watch: [.init(messages: changes.map { $0.raw() }, ending: nil)],
      AccessMethods.status: status.map { .init(messages: [$0.raw()]) },
    ])
    return (RemoteNode(connection), connection)
  }

  @Test(arguments: [
    (CaptureWire.AuthorizationStatus.authorized, CaptureModel.AuthorizationStatus.authorized),
    (.denied, .denied), (.notDetermined, .notDetermined), (.unspecified, .restricted),
  ])
  func aRequestWaitsForItsDecision(
    told: CaptureWire.AuthorizationStatus, expected: CaptureModel.AuthorizationStatus
  ) async throws {
    let (node, _) = node(
      asked: Self.asked, changes: [Self.asked, Answer(role: .view)], status: [Answer(authorization: told)])
    #expect(try await node.requestAccess(to: ["usb-*"], role: .control) == expected)
  }

  @Test func untilThenItWaits() async throws {
    let (node, connection) = node(asked: Self.asked, changes: [Self.asked])
    let asking = Task { await failure { try await node.requestAccess(to: ["usb-*"], role: .control) } }
    await eventually("it waits") { connection.requests.count == 2 && connection.waitingReaders == 1 }
    asking.cancel()
    #expect(await asking.value?.code == .cancelled)
  }

  @Test func whatItHasItIsGivenAtOnce() async throws {
    let (node, connection) = node(asked: Answer(role: .control, authorization: .authorized))
    #expect(try await node.requestAccess(role: .control) == .authorized)
    #expect(connection.requests.count == 1)
  }

  @Test func allThatWasAskedForHasToBeAuthorized() async throws {
    let (node, _) = node(
      asked: Self.asked, changes: [Answer()],
      status: [Answer(authorization: .authorized), Answer(authorization: .denied)])
    #expect(try await node.requestAccess(to: ["usb-1", "usb-2"]) == .denied)
  }

  @Test func anAnswerIsReadWhole() async throws {
    var answer = Self.asked
    (answer.client, answer.cameras, answer.reason) = ("laptop", ["usb-1"], "why")
    (answer.deniedS, answer.askAgainSeconds) = (7, 60)
    // Roles and media that this version does not know are left out.
    answer.grants = [
      .init(role: .control, cameras: ["usb-1"], media: [.video, Medium(rawValue: 9)]),
      .init(role: .view, media: [Medium(rawValue: 9)]), .init(role: Role(rawValue: 9)), .init(role: .view),
    ]
    let found = try await node(asked: answer, status: [answer]).0.authorization(for: "usb-2", role: .control)
    #expect((found.client, found.role, found.cameras, found.reason) == ("laptop", .view, ["usb-1"], "why"))
    #expect(found.wanted == .init(role: .control, cameras: ["usb-*"], media: [], asked: 5))
    #expect(
      found.grants == [
        AccessGrant(.control, cameras: CameraScope(["usb-1"]), media: [.video]), AccessGrant(.view),
      ])
    #expect((found.denied, found.untilNextRequest) == (7, .seconds(60)))
  }

  /// Another grant may have what was asked for: that does not say that the request was approved.
  @Test(arguments: [(7, .denied), (0, .notDetermined)] as [(UInt64, CaptureModel.AuthorizationStatus)])
  func whatOtherGrantsHaveIsNoApproval(
    deniedS: UInt64, expected: CaptureModel.AuthorizationStatus
  ) async throws {
    var (asked, ended) = (Self.asked, Answer(role: .control))
    asked.grants = [.init(role: .control, cameras: ["usb-1"]), .init(role: .view)]
    (ended.grants, ended.deniedS) = (asked.grants, deniedS)
    let (node, connection) = node(
      asked: asked, changes: [asked, ended], status: [Answer(authorization: .authorized)])
    #expect(try await node.requestAccess(role: .control) == expected)
    #expect(connection.requests.count == 2, "it asks about nothing more")
  }

  @Test func eachMediumThatWasAskedForHasToBeAuthorized() async throws {
    var asked = Self.asked
    asked.grants = [.init(role: .view, media: [.video])]
    let (node, connection) = node(
      asked: asked, changes: [Answer()],
      status: [Answer(authorization: .authorized), Answer(authorization: .denied)])
    #expect(try await node.requestAccess(to: ["usb-1"], media: [.video, .library]) == .denied)
    #expect(connection.requests.count == 4)
  }
}
