import CaptureModel
import Testing

@Suite struct SensorCropTests {
  private let whole = PixelArea(x: 8, y: 4, width: 1280, height: 720)

  @Test func theMiddleMagnifies() {
    let crop = SensorCrop(whole: whole, area: whole)
    #expect(crop.factor == 1)
    #expect(crop.area(magnifying: 1) == whole)
    #expect(crop.area(magnifying: 2) == PixelArea(x: 328, y: 184, width: 640, height: 360))
    #expect(SensorCrop(whole: whole, area: crop.area(magnifying: 2)).factor == 2)
  }

  @Test func pixelsBoundHowExactAFactorIs() {
    let crop = SensorCrop(whole: whole, area: whole)
    for factor in stride(from: 1.0, through: 8, by: 0.1) {
      let area = crop.area(magnifying: factor)
      #expect(abs(SensorCrop(whole: whole, area: area).factor - factor) < factor * 0.005)
      #expect(area.x >= whole.x && area.x + area.width <= whole.x + whole.width)
      #expect(area.y >= whole.y && area.y + area.height <= whole.y + whole.height)
    }
    #expect(crop.area(magnifying: 1e9).width == 1)
    #expect(crop.area(magnifying: 0.5) == whole)
  }
}
