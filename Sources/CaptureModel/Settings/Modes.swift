/// `AVCaptureDevice.FocusMode`. V4L2: `V4L2_CID_FOCUS_AUTO`, `V4L2_CID_AUTO_FOCUS_START`.
public enum FocusMode: String, CaseIterable, Hashable, Sendable {
  /// The lens stays where it is.
  case locked
  /// Focuses once, then is locked.
  case auto
  /// Focuses whenever the scene changes.
  case continuous
}

/// `AVCaptureDevice.AutoFocusRangeRestriction`. V4L2: `V4L2_CID_AUTO_FOCUS_RANGE`.
public enum FocusRange: String, CaseIterable, Hashable, Sendable {
  /// No restriction.
  case none
  /// The camera focuses only in that part of the lens's way.
  case near, far
}

/// `AVCaptureDevice.ExposureMode`. V4L2: `V4L2_CID_EXPOSURE_AUTO`, `V4L2_CID_AUTOGAIN`, `V4L2_CID_ISO_SENSITIVITY_AUTO`.
public enum ExposureMode: String, CaseIterable, Hashable, Sendable {
  /// Duration and sensitivity stay as they are.
  case locked
  /// Exposes once, then is locked.
  case auto
  /// Exposes whenever the light changes.
  case continuous
  /// Duration and sensitivity are those that were set.
  case custom
}

/// `AVCaptureDevice.WhiteBalanceMode`. V4L2: `V4L2_CID_AUTO_WHITE_BALANCE`, `V4L2_CID_DO_WHITE_BALANCE`.
public enum WhiteBalanceMode: String, CaseIterable, Hashable, Sendable {
  /// The colours' gains stay as they are.
  case locked
  /// Balances once, then is locked.
  case auto
  /// Balances whenever the light changes.
  case continuous
}

/// `AVCaptureDevice.TorchMode`, `AVCaptureDevice.FlashMode`. V4L2: `V4L2_CID_FLASH_LED_MODE`.
public enum LightMode: String, CaseIterable, Hashable, Sendable {
  /// The light is off, or on, whatever the scene.
  case off, on
  /// The light is on while the scene is dark (`AVCaptureDevice.TorchMode.auto`, `FlashMode.auto`). No driver has this mode; the node provides it.
  case auto
}

/// Which part of the system magnifies.
public enum ZoomKind: String, CaseIterable, Hashable, Sendable {
  /// `V4L2_CID_ZOOM_ABSOLUTE`
  case hardware
  /// `VIDIOC_S_SELECTION`: the driver scales a part of the sensor to the size of the frame.
  case sensorCrop
  /// The node crops the frames.
  case digital
}
