public import CaptureModel

extension Colour {
  public init(_ color: ColorDescription) {
    self.init(
      space: ColourSpace(color.space), transferFunction: TransferFunction(color.transfer),
      matrix: ColourMatrix(color.matrix), range: color.isFullRange ? .full : .limited)
  }

  /// `nil` where the matrix or the range is missing, or is one that only newer nodes know.
  package var model: ColorDescription? {
    guard let matrix = ColourMatrix.known.first(where: { $0.wire == matrix })?.model,
      range == .full || range == .limited
    else { return nil }
    return ColorDescription(
      space: ColourSpace.known.first { $0.wire == space }?.model ?? .unknown,
      transfer: TransferFunction.known.first { $0.wire == transferFunction }?.model ?? .unknown,
      matrix: matrix, isFullRange: range == .full)
  }
}

extension ColourSpace {
  init(_ space: ColorSpace) { self = Self.known.first { $0.model == space }?.wire ?? .unspecified }

  fileprivate static let known: [(wire: ColourSpace, model: ColorSpace)] = [
    (.srgb, .srgb), (.smpte170m, .smpte170M), (.smpte240m, .smpte240M), (.rec709, .rec709),
    (.bt470m, .bt470M), (.bt470bg, .bt470BG), (.oprgb, .opRGB), (.rec2020, .rec2020), (.dciP3, .dciP3),
    (.raw, .raw),
  ]
}

extension TransferFunction {
  init(_ function: CaptureModel.TransferFunction) {
    self = Self.known.first { $0.model == function }?.wire ?? .unspecified
  }

  fileprivate static let known: [(wire: TransferFunction, model: CaptureModel.TransferFunction)] = [
    (.rec709, .rec709), (.srgb, .srgb), (.oprgb, .opRGB), (.smpte240m, .smpte240M), (.linear, .linear),
    (.dciP3, .dciP3), (.smpte2084, .smpte2084),
  ]
}

extension ColourMatrix {
  init(_ matrix: ColorMatrix) { self = Self.known.first { $0.model == matrix }!.wire }

  fileprivate static let known: [(wire: ColourMatrix, model: ColorMatrix)] = [
    (.rec601, .rec601), (.rec709, .rec709), (.rec2020, .rec2020),
    (.rec2020ConstantLuminance, .rec2020ConstantLuminance), (.smpte240m, .smpte240M), (.identity, .identity),
  ]
}
