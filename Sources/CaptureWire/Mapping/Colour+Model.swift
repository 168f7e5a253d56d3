public import CaptureModel

extension Colour {
  public init(_ color: ColorDescription) {
    self.init(
      space: ColourSpace(color.space), transferFunction: TransferFunction(color.transfer),
      matrix: ColourMatrix(color.matrix), range: color.isFullRange ? .full : .limited)
  }
}

extension ColourSpace {
  init(_ space: ColorSpace) {
    self =
      switch space {
      case .unknown: .unspecified
      case .srgb: .srgb
      case .smpte170M: .smpte170m
      case .smpte240M: .smpte240m
      case .rec709: .rec709
      case .bt470M: .bt470m
      case .bt470BG: .bt470bg
      case .opRGB: .oprgb
      case .rec2020: .rec2020
      case .dciP3: .dciP3
      case .raw: .raw
      }
  }
}

extension TransferFunction {
  init(_ function: CaptureModel.TransferFunction) {
    self =
      switch function {
      case .unknown: .unspecified
      case .rec709: .rec709
      case .srgb: .srgb
      case .opRGB: .oprgb
      case .smpte240M: .smpte240m
      case .linear: .linear
      case .dciP3: .dciP3
      case .smpte2084: .smpte2084
      }
  }
}

extension ColourMatrix {
  init(_ matrix: ColorMatrix) {
    self =
      switch matrix {
      case .rec601: .rec601
      case .rec709: .rec709
      case .rec2020: .rec2020
      case .rec2020ConstantLuminance: .rec2020ConstantLuminance
      case .smpte240M: .smpte240m
      case .identity: .identity
      }
  }
}
