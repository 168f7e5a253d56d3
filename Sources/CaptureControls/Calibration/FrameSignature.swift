import CaptureModel
import Glibc

/// A frame in numbers that change with settings: each zone's brightness, colour and sharpness.
public struct FrameSignature: Hashable, Sendable {
  /// ``featuresPerZone`` numbers for each zone. Frames that are divided into the same zones have equally many numbers.
  package let features: [Double]
  fileprivate static let featuresPerZone = 4

  public init(_ statistics: FrameStatistics) {
    var features: [Double] = []
    features.reserveCapacity(statistics.zones.count * Self.featuresPerZone)
    for zone in statistics.zones {
      let light = zone.color.red + zone.color.green + zone.color.blue
      // The more pixels of a zone clip, the less its colour counts.
      let weight = light > 0 ? zone.usable / light : 0
      features.append(zone.luma)
      features.append(zone.color.red * weight - zone.usable / 3)
      features.append(zone.color.blue * weight - zone.usable / 3)
      features.append(log10(1 + zone.contrast))
    }
    self.features = features
  }

  init(features: [Double]) { self.features = features }

  /// The mean luma of the darkest and of the brightest zone, 0 to 1.
  public var brightness: ClosedRange<Double> {
    let lumas = stride(from: 0, to: features.count, by: Self.featuresPerZone).map { features[$0] }
    return (lumas.min() ?? 0)...(lumas.max() ?? 0)
  }
}

/// The direction in which frames change with one control, from frames with one value to frames with another.
///
/// A feature counts by how far it moves, relative to how much it varies by itself (Fisher's discriminant with a diagonal covariance).
public struct SignatureAxis: Sendable {
  private let origin: [Double]
  /// Zero where a feature tells nothing.
  private let weights: [Double]
  /// How much the score of a frame varies by itself, according to the samples. The true value is larger.
  public let deviation: Double

  /// Takes samples of frames with one value and of frames with the other, at least two of each. `nil`: the means of both are the same.
  public init?(from before: [FrameSignature], to after: [FrameSignature]) {
    precondition(before.count > 1 && after.count > 1)
    let count = before[0].features.count
    let (first, second) = (Self.mean(before), Self.mean(after))
    var variances = [Double](repeating: 0, count: count)
    for (samples, mean) in [(before, first), (after, second)] {
      for sample in samples {
        for index in 0..<count {
          let distance = sample.features[index] - mean[index]
          variances[index] += distance * distance
        }
      }
    }
    let freedom = Double(before.count + after.count - 2)
    // A few samples make a feature look steadier than it is. So each variance is moved halfway to the mean variance of this feature over all zones.
    let kinds = FrameSignature.featuresPerZone
    var usual = [Double](repeating: 0, count: kinds)
    for index in 0..<count {
      usual[index % kinds] += variances[index] / freedom / Double(count / kinds)
    }
    var weights = [Double](repeating: 0, count: count)
    var separation = 0.0
    for index in 0..<count {
      let variance = (variances[index] / freedom + usual[index % kinds]) / 2 + 1e-7
      let distance = second[index] - first[index]
      weights[index] = distance / variance
      separation += distance * weights[index]
    }
    guard separation > 0 else { return nil }
    origin = first
    self.weights = weights.map { $0 / separation }
    deviation = 1 / separation.squareRoot()
  }

  /// 0 for a frame like those before the change, 1 for a frame like those after it.
  public func score(_ signature: FrameSignature) -> Double {
    var score = 0.0
    for index in origin.indices { score += (signature.features[index] - origin[index]) * weights[index] }
    return score
  }

  private static func mean(_ samples: [FrameSignature]) -> [Double] {
    var mean = [Double](repeating: 0, count: samples[0].features.count)
    for sample in samples {
      for index in mean.indices { mean[index] += sample.features[index] / Double(samples.count) }
    }
    return mean
  }
}
