import CPixelKernels
import CaptureModel

extension color_conversion {
  /// Converts a frame's samples to fractions of the full range. For BT.2020 with constant luminance luma is right and colours are approximate.
  init(_ matrix: ColorMatrix, isFullRange: Bool) {
    let terms = matrix.chromaTerms
    let chroma = isFullRange ? 1.0 / 255 : 1.0 / 224
    self.init(
      y_offset: isFullRange ? 0 : 16, y_gain: isFullRange ? 1 / 255 : 1 / 219,
      red_v: Float(terms.redOfV * chroma), green_u: Float(terms.greenOfU * chroma),
      green_v: Float(terms.greenOfV * chroma), blue_u: Float(terms.blueOfU * chroma))
  }
}
