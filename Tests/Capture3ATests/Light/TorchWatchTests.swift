import Capture3A
import Glibc
import Testing

@Suite struct TorchWatchTests {
  /// A scene, its camera and its torch: `added` is what the torch adds to light of `headroom` EV.
  private struct Scene {
    var headroom: Double
    var added = 4.0
    var isKnown = true
    /// The brightest that a picture can tell, in EV.
    var clip = Double.infinity
    /// Frames until the torch does as it is told.
    var delay = 2
    /// A camera that exposes by itself takes so much of what is too bright, or too dark, back with each frame.
    var adapts = 0.0
    private var taken = 0.0
    private var coming: [Bool] = []

    init(_ headroom: Double, added: Double = 4, isKnown: Bool = true) {
      (self.headroom, self.added, self.isKnown) = (headroom, added, isKnown)
    }

    /// The next frame.
    mutating func frame(isLit: Bool) -> (SceneBrightness, hasLight: Bool) {
      coming.append(isLit)
      let hasLight = coming.count > delay ? coming.removeFirst() : false
      let light = exp2(headroom) + (hasLight ? added : 0)
      let all = log2(light) - taken
      let seen = min(all, clip)
      if adapts > 0 { taken = max(taken + adapts * seen, 0) }
      let brightness = SceneBrightness(headroom: seen, isExposureKnown: isKnown, isClipped: all > clip)
      return (brightness, hasLight)
    }
  }

  /// Feeds so many frames; returns those, from 1, at which it switched.
  private func switches(_ watch: inout TorchWatch, _ count: Int, _ scene: inout Scene) -> [Int] {
    (1...count).filter { _ in
      let (brightness, hasLight) = scene.frame(isLit: watch.isLit)
      return watch.observe(brightness, hasLight: hasLight) != nil
    }
  }

  @Test func itGoesOnInTheDarkAndItsOwnLightDoesNotPutItOut() {
    var (watch, scene) = (TorchWatch(), Scene(3))
    #expect(switches(&watch, 20, &scene).isEmpty)
    scene.headroom = -1
    scene.added = 15
    #expect(switches(&watch, 300, &scene) == [6])
    #expect(watch.isLit)
  }

  @Test func itGoesOutWhenTheSceneIsBrightAndNotBetween() {
    var (watch, scene) = (TorchWatch(), Scene(-1))
    #expect(switches(&watch, 100, &scene) == [6])
    // On at 0.5, off at 1.5 without its own light.
    for headroom in [0.4, 1.4] {
      scene.headroom = headroom
      #expect(switches(&watch, 200, &scene).isEmpty)
    }
    scene.headroom = 1.6
    #expect(switches(&watch, 200, &scene) == [6] && !watch.isLit)
  }

  @Test func lightThatIsTooMuchToTellAtFirstIsToldLater() {
    var (watch, scene) = (TorchWatch(), Scene(-1, added: 100))
    // The camera is at its end in the dark; the picture is white until it has closed down.
    scene.clip = 2.4
    #expect(switches(&watch, 10, &scene) == [6])
    scene.clip = .infinity
    #expect(switches(&watch, 300, &scene).isEmpty && watch.isLit)
  }

  @Test func aLampThatBlinksDoesNotMakeItBlink() {
    var (watch, dark) = (TorchWatch(), Scene(-1))
    _ = switches(&watch, 50, &dark)
    var count = 0
    for _ in 0..<100 {
      for headroom in [4.0, -1] {
        dark.headroom = headroom
        count += switches(&watch, 3, &dark).count
      }
    }
    #expect(count == 0 && watch.isLit)
  }

  @Test func itSwitchesTheLessOftenTheMoreItWouldBlink() {
    var (watch, scene) = (TorchWatch(), Scene(-2))
    var times: [Int] = []
    for round in 0..<300 {
      scene.headroom = round.isMultiple(of: 2) ? -2 : 4
      times += switches(&watch, 20, &scene).map { round * 20 + $0 }
    }
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(pauses.allSatisfy { $0 >= 30 })
    #expect(times.count < 30 && pauses.max() ?? 0 >= 240, "\(times)")
    // And forgets it when it was quiet.
    scene.headroom = -2
    _ = switches(&watch, 2000, &scene)
    scene.headroom = 4
    #expect(switches(&watch, 1500, &scene).count == 1)
    scene.headroom = -2
    #expect(switches(&watch, 40, &scene) == [6])
    scene.headroom = 4
    #expect(switches(&watch, 60, &scene).count == 1)
  }

  @Test func aTorchThatSomebodyLeftOnIsPutOutAndJudgedAnew() {
    var watch = TorchWatch()
    var told: [Bool] = []
    for _ in 0..<30 {
      let scene = SceneBrightness(headroom: 4, isExposureKnown: true)
      if let isOn = watch.observe(scene, hasLight: true) { told.append(isOn) }
    }
    #expect(told == [false])
    var dark = Scene(-1)
    #expect(switches(&watch, 20, &dark) == [6])
  }

  @Test func aCameraThatKeepsItsExposureToItselfIsJudgedByWhatChanges() {
    var (watch, scene) = (TorchWatch(), Scene(1, isKnown: false))
    scene.adapts = 0.1
    #expect(switches(&watch, 200, &scene).isEmpty)
    scene.headroom = -4
    #expect(switches(&watch, 200, &scene).count == 1 && watch.isLit)
    #expect(switches(&watch, 1000, &scene).isEmpty)
    // Somebody opens the curtains.
    scene.headroom = 4
    #expect(switches(&watch, 300, &scene).count == 1 && !watch.isLit)
    #expect(switches(&watch, 300, &scene).isEmpty)
  }

  @Test func withoutExposuresOnlyADarkPictureIsDark() {
    func isDark(_ headroom: Double, _ isKnown: Bool) -> Bool {
      SceneBrightness(headroom: headroom, isExposureKnown: isKnown).isDark
    }
    #expect(!isDark(-1, false) && isDark(-2, false))
    #expect(isDark(0.4, true) && !isDark(0.6, true))
  }
}
