import CaptureModel

/// The key "location" of a configuration.
struct ConfiguredLocation: Decodable {
  let value: GeographicLocation

  private enum Key: String, CaseIterable { case latitude, longitude, altitude }

  init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder)
    guard let latitude = try keys.value(.latitude, Double.self), -90...90 ~= latitude else {
      throw keys.refusal(.latitude, "is needed, a number of degrees north from -90 to 90")
    }
    guard let longitude = try keys.value(.longitude, Double.self), -180...180 ~= longitude else {
      throw keys.refusal(.longitude, "is needed, a number of degrees east from -180 to 180")
    }
    let altitude = try keys.value(.altitude, Double.self)
    if let altitude, !(-100_000...100_000 ~= altitude) {
      throw keys.refusal(.altitude, "is a number of metres above sea level from -100000 to 100000")
    }
    value = GeographicLocation(latitude: latitude, longitude: longitude, altitude: altitude)
  }
}

/// A camera of the key "lenses" of a configuration.
struct ConfiguredLens: Decodable {
  let value: Lens

  private enum Key: String, CaseIterable { case make, model, focalLength, focalLengthIn35mm, fNumber }

  init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder)
    func text(_ key: Key) throws -> String? {
      let text = try keys.value(key, String.self)
      if let text, !(1...200 ~= text.utf8.count) { throw keys.refusal(key, "is a text of 1 to 200 bytes") }
      return text
    }
    func number(_ key: Key, _ range: ClosedRange<Double>, _ what: String) throws -> Double? {
      let number = try keys.value(key, Double.self)
      if let number, !range.contains(number) { throw keys.refusal(key, "is \(what)") }
      return number
    }
    let in35mm = try keys.value(.focalLengthIn35mm, Int.self)
    if let in35mm, !(1...65_535 ~= in35mm) {
      throw keys.refusal(.focalLengthIn35mm, "is a whole number of millimetres from 1 to 65535")
    }
    value = Lens(
      make: try text(.make), model: try text(.model),
      focalLength: try number(.focalLength, 0.01...10_000, "a number of millimetres from 0.01 to 10000"),
      focalLengthIn35mm: in35mm, fNumber: try number(.fNumber, 0.1...1000, "a number from 0.1 to 1000"))
  }
}

/// A camera of the key "sensors" of a configuration.
struct ConfiguredSensor: Decodable {
  let value: SensorCalibration

  private enum Key: String, CaseIterable { case blackLevel, whiteLevel, colorMatrix, neutral }

  init(from decoder: any Decoder) throws {
    let keys = try StrictKeys<Key>(decoder)
    let black = try keys.value(.blackLevel, Int.self)
    if let black, !(0...65_534 ~= black) {
      throw keys.refusal(.blackLevel, "is a sample, a whole number from 0 to 65534")
    }
    let white = try keys.value(.whiteLevel, Int.self)
    if let white, !(1...65_535 ~= white) || white <= black ?? 0 {
      throw keys.refusal(.whiteLevel, "is a sample above blackLevel, a whole number up to 65535")
    }
    let matrix = try keys.value(.colorMatrix, [Double].self)
    if let matrix, matrix.count != 9 || !matrix.allSatisfy({ -100...100 ~= $0 }) {
      throw keys.refusal(.colorMatrix, "has nine numbers from -100 to 100, row by row")
    }
    let neutral = try keys.value(.neutral, [Double].self)
    if let neutral, neutral.count != 3 || !neutral.allSatisfy({ 0.001...1 ~= $0 }) {
      throw keys.refusal(.neutral, "has three numbers from 0.001 to 1: red, green and blue of white")
    }
    value = SensorCalibration(
      blackLevel: black, whiteLevel: white, colorMatrix: matrix, neutral: neutral)
  }
}
