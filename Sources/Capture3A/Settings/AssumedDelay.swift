/// Assumes which value a frame has, while nothing better is known: the value that was set a fixed number of frames before.
struct AssumedDelay<Value: Sendable>: Sendable {
  /// How many frames lie between a setting and the first frame that has it; 0: the next frame has it.
  let frames: Int
  private var coming: [(value: Value, frames: Int)] = []
  private(set) var current: Value?

  init(frames: Int) { self.frames = frames }

  mutating func set(_ value: Value) { coming.append((value, frames)) }

  /// Takes a frame, and returns the value that it has; `nil`: none was set long enough ago.
  mutating func nextFrame() -> Value? {
    while let first = coming.first, first.frames <= 0 {
      current = first.value
      coming.removeFirst()
    }
    for index in coming.indices { coming[index].frames -= 1 }
    return current
  }
}
