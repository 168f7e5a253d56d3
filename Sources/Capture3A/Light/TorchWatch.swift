import Glibc

/// A torch that is on while the scene is dark (`AVCaptureDevice.TorchMode.auto`): frames go in, when to switch comes out.
///
/// What the torch itself adds is measured when it begins to shine and taken off from then on, so that its own light does not put it out. Where the
/// camera exposes by itself and does not say how, the picture says only that light was added: then it goes out, and is judged without it. It
/// switches only after several frames that agree, at least a second apart, goes out only a stop above where it went on, and waits the longer the
/// more often it went on again soon.
public struct TorchWatch: Hashable, Sendable {
  /// As it was told last.
  public private(set) var isLit = false
  /// Frames in a row that ask for the other.
  private var agreeing = 0
  /// Frames in a row that are not lit as it was told.
  private var astray = 0
  /// Since it switched.
  private var frames = Self.shortestPause
  /// To be seen before it switches again.
  private var pause = Self.shortestPause
  private var hasSwitched = false
  /// Light before it went on, and the sum with it.
  private var ambient = 0.0
  private var lit = 0.0
  private var isLearning = false
  /// Frames in a row with less than that, and the most light of them.
  private var dimmer = 0
  private var brightest = 0.0

  /// Frames.
  static let patience = 6
  /// Where light shows only until the camera has taken it back.
  static let haste = 2
  /// Frames that tell what the torch adds; some of them may not have it yet.
  static let learning = 8
  static let shortestPause = 30
  static let longestPause = 900
  /// It went off too early if it goes on again within so many frames after the pause.
  static let soon = 300
  /// EV.
  static let hysteresis = 1.0
  /// EV that a scene is to be brighter than with the torch alone.
  static let clear = 0.5
  /// Of a new frame in what is usual.
  private static let weight = 0.1

  public init() {}

  /// A frame came; `hasLight`: taken with the torch on. Returns what to switch to.
  public mutating func observe(_ scene: SceneBrightness, hasLight: Bool) -> Bool? {
    guard hasLight == isLit else {
      // Taken before the last switch took hold; or somebody else had the torch, and it is told again.
      astray += 1
      guard astray >= Self.shortestPause else { return nil }
      astray = 0
      return isLit
    }
    astray = 0
    frames += 1
    let asks = isLit ? isBright(scene) : scene.isDark
    agreeing = asks ? agreeing + 1 : 0
    let enough = isLit && !scene.isExposureKnown ? Self.haste : Self.patience
    guard agreeing >= enough, frames >= pause else { return nil }
    toggle(scene)
    return isLit
  }

  private mutating func toggle(_ scene: SceneBrightness) {
    if !isLit {
      ambient = scene.light
      pause =
        hasSwitched && frames < Self.soon + pause ? min(pause * 2, Self.longestPause) : Self.shortestPause
    }
    isLit.toggle()
    (agreeing, frames, lit, hasSwitched, isLearning) = (0, 0, 0, true, true)
    (dimmer, brightest) = (0, 0)
  }

  /// Bright enough without it.
  private mutating func isBright(_ scene: SceneBrightness) -> Bool {
    guard scene.isExposureKnown else {
      // A camera that exposes by itself takes light back within a second or so: what is usual follows it.
      let isJump = frames > Self.shortestPause && scene.light > lit * exp2(Self.hysteresis)
      if frames == 1 { lit = scene.light } else if !isJump { lit += (scene.light - lit) * Self.weight }
      return isJump
    }
    if isLearning {
      lit = max(lit, scene.light)
      isLearning = frames < Self.learning || scene.isClipped && frames < Self.shortestPause
    } else {
      dim(scene)
    }
    // What moves in its light is no daylight.
    return !isLearning && scene.light > lit * exp2(Self.clear)
      && scene.light - max(lit - ambient, 0) > exp2(scene.darkest + Self.hysteresis)
  }

  /// It cannot add more than there is: something else shone when it began, or what it shines on has gone.
  private mutating func dim(_ scene: SceneBrightness) {
    guard scene.light < lit else {
      (dimmer, brightest) = (0, 0)
      return
    }
    (dimmer, brightest) = (dimmer + 1, max(brightest, scene.light))
    guard dimmer >= Self.shortestPause else { return }
    (lit, dimmer, brightest) = (brightest, 0, 0)
  }
}
