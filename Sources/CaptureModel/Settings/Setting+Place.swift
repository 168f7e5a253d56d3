extension Setting {
  /// The setting's number among all settings, in the order of `allCases`.
  var place: Int {
    switch self {
    case .focusMode: 0
    case .lensPosition: 1
    case .focusPoint: 2
    case .focusRange: 3
    case .focusAdjusting: 4
    case .exposureMode: 5
    case .exposureDuration: 6
    case .iso: 7
    case .gain: 8
    case .iris: 9
    case .exposureBias: 10
    case .exposureTargetOffset: 11
    case .exposurePoint: 12
    case .exposureAdjusting: 13
    case .whiteBalanceMode: 14
    case .temperature: 15
    case .tint: 16
    case .whiteBalanceGains: 17
    case .whiteBalanceAdjusting: 18
    case .zoomFactor: 19
    case .zoomRamping: 20
    case .torchMode: 21
    case .torchLevel: 22
    case .torchActive: 23
    case .flashMode: 24
    case .flashLevel: 25
    case .flashActive: 26
    case .frameDuration: 27
    case .horizontalFlip: 28
    case .verticalFlip: 29
    }
  }
}
