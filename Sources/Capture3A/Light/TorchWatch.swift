import Glibc

/// Decides when a torch is on, while the scene is dark (`AVCaptureDevice.TorchMode.auto`): frames go in, and switching comes out.
///
/// It measures what the torch itself adds when it begins to shine, and subtracts that from then on, so that the torch's own light does not switch it
/// off. Where the camera exposes by itself and does not report its exposure, the picture only shows that light was added: then the torch goes off, and
/// the scene is judged without it. The torch switches only after several frames that agree, at least a second after the last time. It goes off only a
/// stop above where it went on. It waits longer each time it went on again soon.
public struct TorchWatch: Hashable, Sendable {
  /// The state that it last asked for.
  public private(set) var isLit = false
  /// How many frames in a row ask for the other state.
  private var agreeing = 0
  /// How many frames in a row do not have the state that it asked for.
  private var mismatchedFrames = 0
  /// How many frames have passed since it switched.
  private var frames = Self.shortestPause
  /// How many frames must pass before it switches again.
  private var pause = Self.shortestPause
  private var hasSwitched = false
  /// The light before the torch went on, and the light with the torch.
  private var ambient = 0.0
  private var lit = 0.0
  private var isLearning = false
  /// How many frames in a row have less light than `lit`, and the most light of them.
  private var dimmer = 0
  private var brightest = 0.0

  /// How many frames have to agree.
  static let framesToAgree = 6
  /// How many frames have to agree where light shows only until the camera has compensated for it.
  static let framesToAgreeQuickly = 2
  /// How many frames measure what the torch adds; some of them may not have its light yet.
  static let learning = 8
  static let shortestPause = 30
  static let longestPause = 900
  /// The torch went off too early if it goes on again within this many frames after the pause.
  static let soon = 300
  /// The difference between going on and going off, in EV.
  static let hysteresis = 1.0
  /// By how many EV a scene must be brighter than with the torch alone.
  static let clear = 0.5
  /// The weight of a new frame in the usual light.
  private static let weight = 0.1

  public init() {}

  /// Takes a frame; `hasLight`: it was taken with the torch on. Returns the state to switch to; `nil`: no change.
  public mutating func observe(_ scene: SceneBrightness, hasLight: Bool) -> Bool? {
    guard hasLight == isLit else {
      // The frame was taken before the last switch took effect, or another program switched the torch. Then it is asked for again.
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
      // A camera that exposes by itself compensates for light within about a second, and the usual light follows it.
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
    // A thing that moves in the torch's light is not daylight.
    return !isLearning && scene.light > lit * exp2(Self.clear)
      && scene.light - max(lit - ambient, 0) > exp2(scene.darkest + Self.hysteresis)
  }

  /// The torch cannot add more light than there is: another light shone when it began, or the thing that it lit has gone.
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
