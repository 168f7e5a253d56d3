public import CaptureModel

/// A mode that has a number on the wire: from 1, in the model's order; 0 is unspecified.
protocol NumberedOnWire: RawRepresentable<UInt32> {
  associatedtype Model: CaseIterable & Equatable
}

extension NumberedOnWire where Model.AllCases: RandomAccessCollection, Model.AllCases.Index == Int {
  init(_ model: Model) {
    self.init(rawValue: UInt32(Model.allCases.firstIndex(of: model)! + 1))!
  }

  init(_ model: Model?) {
    if let model { self.init(model) } else { self.init(rawValue: 0)! }
  }

  /// `nil`: unspecified, or a number that only newer nodes know.
  var known: Model? {
    (1...UInt32(Model.allCases.count)).contains(rawValue) ? Model.allCases[Int(rawValue) - 1] : nil
  }

  /// `nil`: unspecified. Throws `invalidArgument`, which names `field`, for a number that this version does not know.
  func model(_ what: String, _ field: String) throws(CaptureError) -> Model? {
    if rawValue == 0 { return nil }
    guard rawValue <= Model.allCases.count else {
      throw CaptureError(
        .invalidArgument, "\(what) \(rawValue) is not known here",
        .init(
          .valueOutOfRange, field: field, asked: .number(Double(rawValue)),
          range: .init(0, Double(Model.allCases.count))))
    }
    return Model.allCases[Int(rawValue) - 1]
  }
}

extension FocusMode: NumberedOnWire { typealias Model = CaptureModel.FocusMode }

extension FocusRange: NumberedOnWire { typealias Model = CaptureModel.FocusRange }

extension ExposureMode: NumberedOnWire { typealias Model = CaptureModel.ExposureMode }

extension WhiteBalanceMode: NumberedOnWire { typealias Model = CaptureModel.WhiteBalanceMode }

extension LightMode: NumberedOnWire { typealias Model = CaptureModel.LightMode }

extension ZoomKind: NumberedOnWire { typealias Model = CaptureModel.ZoomKind }

extension Provenance: NumberedOnWire {
  typealias Model = CaptureModel.Provenance

  public init(_ model: CaptureModel.Provenance) {
    self.init(rawValue: UInt32(CaptureModel.Provenance.allCases.firstIndex(of: model)! + 1))
  }
}
