import CaptureModel

/// Every way of turning and mirroring, with whole, middle, corner and oblong crops.
let everyTransform: [PictureTransform] = {
  let crops: [NormalizedRect] = [
    .full, try! NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
    try! NormalizedRect(x: 0, y: 0.7, width: 0.1, height: 0.3),
    try! NormalizedRect(x: 0.1, y: 0.05, width: 0.9, height: 0.2),
  ]
  return crops.flatMap { crop in
    Orientation.allCases.flatMap { orientation in
      [false, true].map { PictureTransform(crop: crop, orientation: orientation, isMirrored: $0) }
    }
  }
}()

/// A grid of points with the picture's corners and middle among them.
let somePoints: [NormalizedPoint] = [0, 0.1, 0.35, 0.5, 0.8, 1].flatMap { y in
  [0, 0.15, 0.5, 0.72, 1].map { x in try! NormalizedPoint(x: x, y: y) }
}

extension NormalizedPoint {
  func isNear(_ other: NormalizedPoint) -> Bool { abs(x - other.x) < 1e-9 && abs(y - other.y) < 1e-9 }
}

extension NormalizedRect {
  func isNear(_ other: NormalizedRect) -> Bool {
    topLeft.isNear(other.topLeft) && bottomRight.isNear(other.bottomRight)
  }
}
