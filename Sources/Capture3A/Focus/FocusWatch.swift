import Glibc

/// Notices that the scene around the point has changed since focus was found.
struct FocusWatch: Sendable {
  private var reference: (sharpness: Double, light: Double)?
  private var learned = 0
  private var changed = 0
  private var last: Double?

  /// The number of frames whose mean is the reference.
  static let learning = 4
  /// A scene that is steady again is focused again if at least this many frames in a row differ from the reference.
  static let lasting = 5
  /// A scene that does not come to rest is focused again after this many frames in a row that differ from the reference.
  static let longestChange = 20

  /// Takes a frame. `light`: the light of the scene, independent of the exposure.
  /// - Returns: whether to search again.
  mutating func observe(sharpness: Double, light: Double) -> Bool {
    defer { last = sharpness }
    let (sharpness, light) = (max(sharpness, 1e-12), max(light, 1e-12))
    guard let reference, learned >= Self.learning else {
      let part = 1 / Double(learned + 1)
      let old = reference ?? (sharpness, light)
      reference = (
        old.sharpness + (sharpness - old.sharpness) * part, old.light + (light - old.light) * part
      )
      learned += 1
      return false
    }
    let isOther = abs(log(sharpness / reference.sharpness)) > 0.35 || abs(log2(light / reference.light)) > 0.7
    changed = isOther ? changed + 1 : 0
    let isSteady = last.map { abs(log(sharpness / max($0, 1e-12))) < 0.1 } ?? false
    return changed >= Self.longestChange || changed >= Self.lasting && isSteady
  }
}
