/// Names for the numbers of a frame's settings.
extension FrameSettings {
  /// 0 (nearest) to 1 (infinity).
  public var lensPosition: Observed<Double>? {
    get { self[.lensPosition] }
    set { self[.lensPosition] = newValue }
  }

  /// Seconds.
  public var exposureDuration: Observed<Double>? {
    get { self[.exposureDuration] }
    set { self[.exposureDuration] = newValue }
  }

  /// `AVCaptureDevice.iso`.
  public var iso: Observed<Double>? {
    get { self[.iso] }
    set { self[.iso] = newValue }
  }

  /// The driver's units.
  public var gain: Observed<Double>? {
    get { self[.gain] }
    set { self[.gain] = newValue }
  }

  /// EV.
  public var exposureBias: Observed<Double>? {
    get { self[.exposureBias] }
    set { self[.exposureBias] = newValue }
  }

  /// Kelvin.
  public var temperature: Observed<Double>? {
    get { self[.temperature] }
    set { self[.temperature] = newValue }
  }

  /// -150 (green light) … 150: see ``TemperatureAndTint/tint``.
  public var tint: Observed<Double>? {
    get { self[.tint] }
    set { self[.tint] = newValue }
  }

  /// 1 and more (`videoZoomFactor`).
  public var zoomFactor: Observed<Double>? {
    get { self[.zoomFactor] }
    set { self[.zoomFactor] = newValue }
  }

  /// 0…1; 0: off.
  public var torchLevel: Observed<Double>? {
    get { self[.torchLevel] }
    set { self[.torchLevel] = newValue }
  }

  /// 1: the driver has mirrored the frame left to right.
  public var horizontalFlip: Observed<Double>? {
    get { self[.horizontalFlip] }
    set { self[.horizontalFlip] = newValue }
  }

  /// 1: the driver has mirrored the frame top to bottom.
  public var verticalFlip: Observed<Double>? {
    get { self[.verticalFlip] }
    set { self[.verticalFlip] = newValue }
  }
}
