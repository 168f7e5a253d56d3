import Glibc

/// Switches a torch on while the scene is dark (`AVCaptureDevice.TorchMode.auto`). Frames go in, and the state to switch to comes out.
///
/// The watch measures how much light the torch adds when it goes on, and subtracts that from then on, so that the torch's own light does not switch
/// it off. If the camera exposes by itself and does not report its exposure, a picture shows only that light was added, not how much there is. So
/// when light is added, the torch goes off, and the scene is judged without it. The torch switches only after several frames that agree, and at least
/// about a second after it switched last. It goes off only if the scene is a stop brighter than where it goes on. Each time the torch goes on again
/// soon after it went off, the next pause gets longer.
public struct TorchWatch: Hashable, Sendable {
  /// The state that the watch asked for last.
  public private(set) var isLit = false
  /// How many frames in a row ask for the other state.
  private var agreeing = 0
  /// How many frames in a row were not taken in the state that the watch asked for.
  private var mismatchedFrames = 0
  /// How many frames have passed since the torch was last switched.
  private var frames = Self.shortestPause
  /// How many frames must pass before the torch is switched again.
  private var pause = Self.shortestPause
  private var hasSwitched = false
  /// The light before the torch went on.
  private var ambient = 0.0
  /// The light with the torch on; where the exposure is unknown, a moving average of it.
  private var lit = 0.0
  private var isLearning = false
  /// How many frames in a row have had less light than ``lit``.
  private var dimmer = 0
  /// The most light that one of those ``dimmer`` frames had.
  private var brightest = 0.0

  /// How many frames in a row have to ask for the other state before the torch is switched.
  static let framesToAgree = 6
  /// Replaces ``framesToAgree`` for a lit torch if the exposure is unknown: added light then shows only until the camera compensates for it.
  static let framesToAgreeQuickly = 2
  /// The torch's light is measured in this many frames after the torch went on. The first of them may not have that light yet.
  static let learning = 8
  static let shortestPause = 30
  static let longestPause = 900
  /// The torch went off too early if it goes on again within this many frames after the pause.
  static let soon = 300
  /// The torch goes off at a brightness that is this many EV above the one at which it goes on.
  static let hysteresis = 1.0
  /// The torch goes off only if the scene is brighter than ``lit`` by more than this, in EV.
  static let clear = 0.5
  /// The weight of a new frame in the moving average of ``lit``.
  private static let weight = 0.1

  public init() {}

  /// Takes a frame; `hasLight`: it was taken with the torch on. Returns the state to switch to; `nil`: no change.
  public mutating func observe(_ scene: SceneBrightness, hasLight: Bool) -> Bool? {
    guard hasLight == isLit else {
      // The frame was taken before the last switch took effect, or another program switched the torch. If that lasts, the state is asked for again.
      mismatchedFrames += 1
      guard mismatchedFrames >= Self.shortestPause else { return nil }
      mismatchedFrames = 0
      return isLit
    }
    mismatchedFrames = 0
    frames += 1
    let asks = isLit ? isBright(scene) : scene.isDark
    agreeing = asks ? agreeing + 1 : 0
    let enough = isLit && !scene.isExposureKnown ? Self.framesToAgreeQuickly : Self.framesToAgree
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

  /// Whether the scene is bright enough without the torch.
  private mutating func isBright(_ scene: SceneBrightness) -> Bool {
    guard scene.isExposureKnown else {
      // A camera that exposes by itself compensates for added light within about a second, and `lit` follows the picture.
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
    // The comparison with `lit` ignores things that move in the torch's light: they brighten the picture, but are not daylight.
    return !isLearning && scene.light > lit * exp2(Self.clear)
      && scene.light - max(lit - ambient, 0) > exp2(scene.darkest + Self.hysteresis)
  }

  /// Lowers ``lit`` once the picture has been darker for a while. The torch adds no more light than there is now. So ``lit`` was measured too
  /// high: another light shone then, or the torch lit a thing that has gone.
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
