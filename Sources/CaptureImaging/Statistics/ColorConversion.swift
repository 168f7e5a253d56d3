import CPixelKernels
import CaptureModel

extension color_conversion {
  /// From a frame's samples to fractions of the full range.
  init(_ matrix: ColorMatrix, isFullRange: Bool) {
    let (red, blue) = matrix.lumaWeights
    let green = 1 - red - blue
    let chroma = isFullRange ? 1.0 / 255 : 1.0 / 224
    self.init(
      y_offset: isFullRange ? 0 : 16, y_gain: isFullRange ? 1 / 255 : 1 / 219,
      red_v: Float(2 * (1 - red) * chroma),
      green_u: Float(-2 * (1 - blue) * blue / green * chroma),
      green_v: Float(-2 * (1 - red) * red / green * chroma),
      blue_u: Float(2 * (1 - blue) * chroma))
  }
}

extension ColorMatrix {
  /// What red and blue weigh in luma; green weighs the rest.
  fileprivate var lumaWeights: (red: Double, blue: Double) {
    switch self {
    case .rec601: (0.299, 0.114)
    case .rec709: (0.2126, 0.0722)
    case .rec2020: (0.2627, 0.0593)
    }
  }
}
