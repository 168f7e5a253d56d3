import CCaptureShims
import CVideo4Linux
import CaptureModel
import CaptureSystem
import Glibc
import Testing

@testable import CaptureV4L2

/// The look once a second at a capture card, above all at one whose driver announces no other source.
struct InputLookTests {
  /// A card at whose signal somebody has looked once.
  private func card(hasEvents: Bool = false) async throws -> FakeCard {
    let card = try FakeCard(hasEvents: hasEvents)
    await card.observe()
    await card.look()
    _ = card.takeChanges()
    return card
  }

  /// Looks, and returns what that told.
  private func look(at card: FakeCard) async -> [InputChange] {
    await card.look()
    return card.takeChanges()
  }

  @Test func anotherSignalIsTheSourcesThoughNoEventToldIt() async throws {
    let card = try await card()
    card.change { $0.found = .fullHD }
    let told = await look(at: card)
    #expect(told.map(\.isOfSource) == [true])
    #expect(told.first?.input?.detected == FakeSignal.fullHD.told)
    #expect(told.first?.input?.signal == FakeSignal.hd.told)
    #expect(await look(at: card) == [], "told once")
    #expect(try await card.port.adoptSignal())
    #expect(await look(at: card) == [])
    card.change { $0.found = .hd }
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test func whoAsksForTheInputTakesNothingFromTheLook() async throws {
    let card = try await card()
    card.change { $0.found = .fullHD }
    #expect(try await card.port.selectedInput()?.detected == FakeSignal.fullHD.told)
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test func whatAnotherProgramSetIsItsChoiceWhileTheSignalIsTheSame() async throws {
    let card = try await card()
    card.change { $0.set = .sd }
    let told = await look(at: card)
    #expect(told.map(\.isOfSource) == [false])
    #expect(told.first?.input?.signal == FakeSignal.sd.told)
    for rate in [60.02, 59.97, 60.01] {
      card.change { $0.found.rate = rate }
      #expect(await look(at: card) == [], "a measured clock differs a little each time")
    }
    // The signal goes, and comes back.
    card.driver.fail(capture_VIDIOC_QUERY_DV_TIMINGS, Errno(rawValue: ENOLINK))
    #expect(await look(at: card).map(\.input?.status) == [.noSignal])
    #expect(await look(at: card).map(\.isOfSource) == [false])
    card.change { $0.found = .fullHD }
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test(arguments: [true, false]) func anInputThatAnotherProgramChoseIsItsChoice(isRead: Bool) async throws {
    let card = try await card()
    card.change { ($0.input, $0.found) = (1, .fullHD) }
    if isRead { _ = try await card.port.selectedInput() }
    #expect(await look(at: card).map(\.isOfSource) == (isRead ? [] : [false]))
    #expect(await look(at: card) == [])
    card.change { $0.found = .sd }
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test func whatIsAtAnInputThatTheNodeChoseIsTheSources() async throws {
    let card = try await card()
    card.change { $0.found = .fullHD }
    try await card.port.selectInput(1)
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test func whatIsFoundWithoutASignalIsNone() async throws {
    let card = try await card()
    card.change { ($0.found, $0.flags) = (.fullHD, V4L2_IN_ST_NO_SIGNAL) }
    #expect(await look(at: card).map(\.isOfSource) == [false])
    card.change { $0.flags = 0 }
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }

  @Test func whereTheDriverHasTheEventALookMeasuresNothing() async throws {
    let card = try await card(hasEvents: true)
    let before = card.driver.calls(of: capture_VIDIOC_QUERY_DV_TIMINGS)
    card.change { $0.found = .fullHD }
    #expect(await look(at: card) == [])
    #expect(card.driver.calls(of: capture_VIDIOC_QUERY_DV_TIMINGS) == before)
    await card.port.close()
  }

  @Test func anotherSourceIsToldThoughControlsComeToBeObservedJustThen() async throws {
    let card = try await card(hasEvents: true)
    card.changeSource(.fullHD)
    await card.port.observe { _ in }
    await card.takeEvents()
    let told = card.takeChanges()
    #expect(told.map(\.isOfSource) == [true])
    #expect(told.first?.input?.detected == FakeSignal.fullHD.told)
    card.changeSource(.sd)
    await card.port.observe(nil)
    await card.takeEvents()
    #expect(card.takeChanges().map(\.isOfSource) == [true])
    await card.port.observeInput(nil)
    #expect(!card.hasSubscriptions, "nobody observes anything")
    await card.port.close()
  }

  /// Settings wait while a card measures.
  @Test func aCardThatMeasuresSlowlyIsMeasuredLessOften() async throws {
    let card = try await card()
    card.driver.with { $0.delays[capture_VIDIOC_QUERY_DV_TIMINGS] = { usleep(1_000) } }
    #expect(await look(at: card) == [])
    let before = card.driver.calls(of: capture_VIDIOC_QUERY_DV_TIMINGS)
    card.change { $0.found = .fullHD }
    await card.look(isLater: false)
    #expect(card.takeChanges() == [] && card.driver.calls(of: capture_VIDIOC_QUERY_DV_TIMINGS) == before)
    // What costs nothing is seen meanwhile.
    card.change { $0.set = .sd }
    await card.look(isLater: false)
    #expect(card.takeChanges().map(\.isOfSource) == [true])
    card.change { $0.found = .hd }
    await card.look(isLater: false)
    #expect(card.takeChanges() == [])
    #expect(await look(at: card).map(\.isOfSource) == [true])
    await card.port.close()
  }
}
