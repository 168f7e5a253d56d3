import CaptureModel
import CaptureSystem
import CaptureWire
import Testing

@testable import CaptureTransport

@Suite struct AdmissionTests {
  private var admission: Admission
  private let socket = Origin(.unix(path: "/run/node"), -1)

  init() {
    var limits = NodeLimits()
    (limits[.connections], limits[.connectionsPerAddress]) = (3, 2)
    admission = Admission(limits: limits, loops: 1)
  }

  private func origin(_ host: String) -> Origin {
    Origin(.internet(host: host, port: 1, family: .v4), -1)
  }

  @Test mutating func strangersTakeNoPlaceOfKnownCallers() {
    let (one, other) = (origin("10.0.0.1"), origin("10.0.0.2"))
    for id in 1...8 { #expect(admission.take(UInt64(id), of: one, isKnown: false).refusal == nil) }
    for id in 11...18 { #expect(admission.take(UInt64(id), of: other, isKnown: false).refusal == nil) }
    #expect(admission.take(19, of: other, isKnown: false).refusal?.text.contains("have not said who") == true)
    // Whoever is known by the socket comes in, and so do those who prove it.
    #expect(admission.take(20, of: socket, isKnown: true).refusal == nil)
    #expect(admission.identify(1, of: one) == nil && admission.identify(2, of: one) == nil)
    #expect(admission.unknownOrigin(of: 1) == nil && admission.unknownOrigin(of: 3) == one)
  }

  @Test mutating func knownCallersHaveTheirBoundsWhenTheyIdentifyThemselves() {
    let (one, other) = (origin("10.0.0.1"), origin("10.0.0.2"))
    for id in 1...3 { _ = admission.take(UInt64(id), of: one, isKnown: false) }
    _ = admission.take(4, of: other, isKnown: false)
    #expect(admission.identify(1, of: one) == nil && admission.identify(2, of: one) == nil)
    #expect(admission.identify(2, of: one) == nil, "a second time counts nothing")
    #expect(admission.identify(3, of: one)?.text.contains("(connectionsPerAddress)") == true)
    #expect(admission.unknownOrigin(of: 3) == one, "it is still a stranger")
    #expect(admission.identify(4, of: other) == nil)
    #expect(admission.take(5, of: socket, isKnown: true).refusal?.text.contains("(connections)") == true)
    admission.forget(1, of: one)
    #expect(admission.take(5, of: socket, isKnown: true).refusal == nil)
  }

  @Test mutating func anOriginsStateLivesAsLongAsItsConnections() {
    let one = origin("10.0.0.1")
    _ = admission.take(1, of: one, isKnown: false)
    let state = admission.state(of: one)
    _ = admission.take(2, of: one, isKnown: true)
    #expect(state != nil && admission.state(of: one) === state)
    admission.forget(1, of: one)
    #expect(admission.state(of: one) === state)
    admission.forget(2, of: one)
    #expect(admission.state(of: one) == nil)
  }

  /// A handler counts until it returns, also where its connection is gone.
  @Test mutating func whoeverComesBackHasTheCallsThatItLeftBehind() throws {
    let (one, bounds) = (origin("10.0.0.1"), CallBounds(NodeLimits()))
    _ = admission.take(1, of: one, isKnown: true)
    let state = try #require(admission.state(of: one))
    let refusal = state.begin(requestBytes: 5, within: bounds)
    #expect(refusal == nil)
    admission.forget(1, of: one)
    #expect(admission.state(of: one) == nil)
    _ = admission.take(2, of: one, isKnown: true)
    #expect(admission.state(of: one) === state)
    state.callEnded(requestBytes: 5)
    admission.forget(2, of: one)
    _ = admission.take(3, of: one, isKnown: true)
    #expect(admission.state(of: one) !== state, "nothing of it was left")
  }

  @Test mutating func whoeverHasTheMostUnknownConnectionsLosesOneFirst() {
    let bound = NodeLimit.unknownConnections.usual
    for id in 1...8 { _ = admission.take(UInt64(id), of: origin("10.0.0.1"), isKnown: false) }
    for id in 9...bound {
      #expect(admission.take(UInt64(id), of: origin("10.0.1.\(id / 4)"), isKnown: false).evicted == nil)
    }
    #expect(admission.take(1_000, of: origin("10.0.0.9"), isKnown: false).evicted == 1)
    #expect(admission.take(1_001, of: origin("10.0.0.9"), isKnown: false).evicted == 2)
  }
  /// Otherwise each that comes would end one that has begun, and the node would compute handshakes that nobody finishes.
  @Test mutating func amongThoseWhoCrowdNobodyPushesOutAnother() {
    // Twenty-eight addresses have three, twenty-two have two.
    for id in 0..<128 {
      #expect(admission.take(UInt64(id), of: origin("10.0.0.\(id % 50)"), isKnown: false).refusal == nil)
    }
    for crowded in ["10.0.0.0", "10.0.0.49"] {
      let (refusal, evicted) = admission.take(1_000, of: origin(crowded), isKnown: false)
      #expect(refusal?.text.contains("(unknownConnections)") == true && evicted == nil)
      #expect(refusal?.code == .resourceExhausted)
    }
    // Whoever is alone at his address comes in, once more also while his first connection is there.
    for evicted in 0..<2 {
      let taken = admission.take(UInt64(2_000 + evicted), of: origin("10.0.1.1"), isKnown: false)
      #expect(taken.refusal == nil && taken.evicted == UInt64(evicted))
    }
    // A place that is free is anybody's.
    admission.forget(2, of: origin("10.0.0.2"))
    let taken = admission.take(3_000, of: origin("10.0.0.49"), isKnown: false)
    #expect(taken.refusal == nil && taken.evicted == nil)
  }

  @Test mutating func amongManyAddressesANewOneIsLetIn() {
    for id in 0..<128 { _ = admission.take(UInt64(id), of: origin("10.0.0.\(id)"), isKnown: false) }
    #expect(admission.take(200, of: origin("10.0.1.1"), isKnown: false).evicted == 0)
    #expect(admission.take(201, of: origin("10.0.1.1"), isKnown: false).refusal != nil)
    #expect(admission.take(202, of: origin("10.0.1.2"), isKnown: false).evicted == 1)
  }
}
