import Testing

@testable import CaptureEngine

@Suite struct FramesOnTheWayTests {
  @Test func aFrameArrivesOnceWithWhatWasThinnedBeforeIt() {
    var frames = FramesOnTheWay()
    frames.add(1, thinned: 0)
    frames.add(4, thinned: 2)
    #expect(frames.arrived(4) == 2)
    #expect(frames.arrived(4) == nil)
    #expect(frames.arrived(1) == nil, "pictures come in order")
  }

  @Test func framesThatWereDroppedTakeNoPlaces() {
    var frames = FramesOnTheWay()
    frames.add(1, thinned: 1)
    for ordinal in 2...100 as ClosedRange<UInt64> {
      frames.add(ordinal, thinned: ordinal)
      frames.forget([ordinal])
    }
    #expect(frames.arrived(1) == 1)
  }

  @Test func ofMoreThanCanBeOnTheWayTheLatestAreKnown() {
    var frames = FramesOnTheWay()
    for ordinal in 1...9 as ClosedRange<UInt64> { frames.add(ordinal, thinned: 0) }
    #expect(frames.arrived(1) == nil)
    for ordinal in 2...9 as ClosedRange<UInt64> { #expect(frames.arrived(ordinal) == 0) }
  }
}
