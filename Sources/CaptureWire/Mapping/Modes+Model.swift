package import CaptureModel

/// An enumeration of the contract whose numbers follow the model's order, from 1; 0 is unspecified.
package protocol NumberedOnWire: RawRepresentable<UInt32> {
  associatedtype Model: CaseIterable & Equatable
}

extension NumberedOnWire where Model.AllCases: RandomAccessCollection, Model.AllCases.Index == Int {
  package init(_ model: Model) {
    self.init(rawValue: UInt32(Model.allCases.firstIndex(of: model)! + 1))!
  }

  package init(_ model: Model?) {
    if let model { self.init(model) } else { self.init(rawValue: 0)! }
  }

  /// `nil`: unspecified, or a number that only newer nodes know.
  var known: Model? {
    (1...UInt32(Model.allCases.count)).contains(rawValue) ? Model.allCases[Int(rawValue) - 1] : nil
  }

  /// The value of a request, which may not leave it unspecified. `what`: the word for such a value. Throws `invalidArgument`, which names `field` and
  /// lists the values.
  func known(_ what: String, _ field: String) throws(CaptureError) -> Model
  where Model: RawRepresentable<String> {
    if let known { return known }
    let names = Model.allCases.map(\.rawValue)
    throw CaptureError(
      .invalidArgument, "no \(what) \(rawValue); there are: \(names.joined(separator: ", "))",
      .init(.valueNotPossible, field: field, possible: names))
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

extension FocusMode: NumberedOnWire { package typealias Model = CaptureModel.FocusMode }

extension FocusRange: NumberedOnWire { package typealias Model = CaptureModel.FocusRange }

extension ExposureMode: NumberedOnWire { package typealias Model = CaptureModel.ExposureMode }

extension WhiteBalanceMode: NumberedOnWire { package typealias Model = CaptureModel.WhiteBalanceMode }

extension LightMode: NumberedOnWire { package typealias Model = CaptureModel.LightMode }

extension ZoomKind: NumberedOnWire { package typealias Model = CaptureModel.ZoomKind }
