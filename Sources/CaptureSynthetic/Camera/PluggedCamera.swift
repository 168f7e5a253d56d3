import CaptureModel

/// A synthetic camera of either kind, while it is plugged in. Every one has a ``SyntheticDevice``, and each kind has its own controls.
protocol PluggedCamera: Camera {
  var device: SyntheticDevice { get }
}

extension PluggedCamera {
  public var description: CameraDescription { device.description }
  public var preferredSize: FrameSize? { device.spec.size }
  public var counters: CameraCounters { device.counters }

  public func formats() async throws(CaptureError) -> [FormatDescription] {
    try device.checkPlugged()
    return device.spec.formats
  }

  public func intervals(
    for pixelFormat: PixelFormat, at size: FrameSize
  ) async throws(CaptureError) -> IntervalOptions {
    try device.option(pixelFormat, size).intervals
  }

  public func inputs() async throws(CaptureError) -> [CameraInput] {
    try device.checkPlugged()
    let selected = device.state.withLock { $0.input }
    return device.spec.inputNames.enumerated().map { index, name in
      CameraInput(
        index: index, name: name, isSelected: index == selected, status: index == selected ? .ready : nil)
    }
  }

  public func selectInput(_ index: Int) async throws(CaptureError) {
    try device.checkPlugged()
    device.state.withLock { $0.input = index }
  }

  public func observeControls(_ observer: (@Sendable (ControlChange) -> Void)?) async {
    device.state.withLock { $0.observer = observer }
  }

  public func stopStreaming() async { await device.stopStreaming() }
}
