import CPixelKernels
import CaptureModel

extension ColorMatrix {
  /// The weights of red and blue in luma; green has the rest. The encoder and the meters take these numbers from here.
  var lumaWeights: (red: Double, blue: Double) {
    switch self {
    case .rec601, .identity: (0.299, 0.114)
    case .rec709: (0.2126, 0.0722)
    case .rec2020, .rec2020ConstantLuminance: (0.2627, 0.0593)
    case .smpte240M: (0.2122, 0.0865)
    }
  }

  /// How much each chroma component adds to luma to make red, green and blue. Luma and colours go from 0 to 1, chroma components from -0.5 to 0.5.
  var chromaTerms: (redOfV: Double, greenOfU: Double, greenOfV: Double, blueOfU: Double) {
    let (red, blue) = lumaWeights
    let green = 1 - red - blue
    return (2 * (1 - red), -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green, 2 * (1 - blue))
  }
}

extension ycbcr_matrix {
  /// Converts a frame's samples to JFIF's; `nil`: the frame has JFIF's matrix (BT.601) already, it has no matrix, or no matrix converts its constant
  /// luminance.
  init?(_ matrix: ColorMatrix, isFullRange: Bool) {
    switch matrix {
    case .rec601, .identity, .rec2020ConstantLuminance: return nil
    case .rec709, .rec2020, .smpte240M: break
    }
    let from = matrix.chromaTerms
    let to = ColorMatrix.rec601.lumaWeights
    let green = 1 - to.red - to.blue
    // The share of chroma in the new luma is the weighted sum of its shares in red, green and blue. New chroma is the distance of blue or red from
    // the new luma.
    let lumaOfU = to.blue * from.blueOfU + green * from.greenOfU
    let lumaOfV = to.red * from.redOfV + green * from.greenOfV
    let (blueScale, redScale) = (2 * (1 - to.blue), 2 * (1 - to.red))
    let luma = isFullRange ? 1 : 255.0 / 219
    let chroma = isFullRange ? 1 : 255.0 / 224
    func fixed(_ gain: Double) -> Int16 { Int16((gain * 16384).rounded()) }
    self.init(
      luma_offset: isFullRange ? 0 : 16, luma: fixed(luma), luma_u: fixed(lumaOfU * chroma),
      luma_v: fixed(lumaOfV * chroma), u_u: fixed((from.blueOfU - lumaOfU) / blueScale * chroma),
      u_v: fixed(-lumaOfV / blueScale * chroma), v_u: fixed(-lumaOfU / redScale * chroma),
      v_v: fixed((from.redOfV - lumaOfV) / redScale * chroma))
  }
}
