import CaptureModel

/// Controls whose meaning V4L2 defines.
extension ControlID {
  // User class.
  /// `V4L2_CID_BRIGHTNESS`
  package static let brightness = ControlID(rawValue: 0x0098_0900)
  /// `V4L2_CID_CONTRAST`
  package static let contrast = ControlID(rawValue: 0x0098_0901)
  /// `V4L2_CID_SATURATION`
  package static let saturation = ControlID(rawValue: 0x0098_0902)
  /// `V4L2_CID_HUE`
  package static let hue = ControlID(rawValue: 0x0098_0903)
  /// `V4L2_CID_AUTO_WHITE_BALANCE`
  package static let autoWhiteBalance = ControlID(rawValue: 0x0098_090c)
  /// `V4L2_CID_DO_WHITE_BALANCE`
  package static let doWhiteBalance = ControlID(rawValue: 0x0098_090d)
  /// `V4L2_CID_RED_BALANCE`
  package static let redBalance = ControlID(rawValue: 0x0098_090e)
  /// `V4L2_CID_BLUE_BALANCE`
  package static let blueBalance = ControlID(rawValue: 0x0098_090f)
  /// `V4L2_CID_GAMMA`
  package static let gamma = ControlID(rawValue: 0x0098_0910)
  /// `V4L2_CID_EXPOSURE`, in lines of the sensor
  package static let exposureLines = ControlID(rawValue: 0x0098_0911)
  /// `V4L2_CID_AUTOGAIN`
  package static let autoGain = ControlID(rawValue: 0x0098_0912)
  /// `V4L2_CID_GAIN`
  package static let gain = ControlID(rawValue: 0x0098_0913)
  /// `V4L2_CID_HFLIP`
  package static let horizontalFlip = ControlID(rawValue: 0x0098_0914)
  /// `V4L2_CID_VFLIP`
  package static let verticalFlip = ControlID(rawValue: 0x0098_0915)
  /// `V4L2_CID_HUE_AUTO`
  package static let autoHue = ControlID(rawValue: 0x0098_0919)
  /// `V4L2_CID_WHITE_BALANCE_TEMPERATURE`
  package static let whiteBalanceTemperature = ControlID(rawValue: 0x0098_091a)
  /// `V4L2_CID_SHARPNESS`
  package static let sharpness = ControlID(rawValue: 0x0098_091b)
  /// `V4L2_CID_BACKLIGHT_COMPENSATION`
  package static let backlightCompensation = ControlID(rawValue: 0x0098_091c)
  /// `V4L2_CID_AUTOBRIGHTNESS`
  package static let autoBrightness = ControlID(rawValue: 0x0098_0920)

  // Camera class.
  /// `V4L2_CID_EXPOSURE_AUTO`
  package static let autoExposure = ControlID(rawValue: 0x009a_0901)
  /// `V4L2_CID_EXPOSURE_ABSOLUTE`
  package static let exposureAbsolute = ControlID(rawValue: 0x009a_0902)
  /// `V4L2_CID_EXPOSURE_AUTO_PRIORITY`
  package static let exposureAutoPriority = ControlID(rawValue: 0x009a_0903)
  /// `V4L2_CID_PAN_ABSOLUTE`
  package static let panAbsolute = ControlID(rawValue: 0x009a_0908)
  /// `V4L2_CID_TILT_ABSOLUTE`
  package static let tiltAbsolute = ControlID(rawValue: 0x009a_0909)
  /// `V4L2_CID_FOCUS_ABSOLUTE`
  package static let focusAbsolute = ControlID(rawValue: 0x009a_090a)
  /// `V4L2_CID_FOCUS_AUTO`
  package static let autoFocus = ControlID(rawValue: 0x009a_090c)
  /// `V4L2_CID_ZOOM_ABSOLUTE`
  package static let zoomAbsolute = ControlID(rawValue: 0x009a_090d)
  /// `V4L2_CID_IRIS_ABSOLUTE`
  package static let irisAbsolute = ControlID(rawValue: 0x009a_0911)
  /// `V4L2_CID_AUTO_EXPOSURE_BIAS`
  package static let autoExposureBias = ControlID(rawValue: 0x009a_0913)
  /// `V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE`
  package static let whiteBalancePreset = ControlID(rawValue: 0x009a_0914)
  /// `V4L2_CID_ISO_SENSITIVITY`
  package static let isoSensitivity = ControlID(rawValue: 0x009a_0917)
  /// `V4L2_CID_ISO_SENSITIVITY_AUTO`
  package static let autoISOSensitivity = ControlID(rawValue: 0x009a_0918)
  /// `V4L2_CID_3A_LOCK`
  package static let lock3A = ControlID(rawValue: 0x009a_091b)
  /// `V4L2_CID_AUTO_FOCUS_START`
  package static let autoFocusStart = ControlID(rawValue: 0x009a_091c)
  /// `V4L2_CID_AUTO_FOCUS_STOP`
  package static let autoFocusStop = ControlID(rawValue: 0x009a_091d)
  /// `V4L2_CID_AUTO_FOCUS_STATUS`
  package static let autoFocusStatus = ControlID(rawValue: 0x009a_091e)
  /// `V4L2_CID_AUTO_FOCUS_RANGE`
  package static let autoFocusRange = ControlID(rawValue: 0x009a_091f)

  // Flash class.
  /// `V4L2_CID_FLASH_LED_MODE`
  package static let flashLEDMode = ControlID(rawValue: 0x009c_0901)
  /// `V4L2_CID_FLASH_STROBE_SOURCE`
  package static let flashStrobeSource = ControlID(rawValue: 0x009c_0902)
  /// `V4L2_CID_FLASH_STROBE`
  package static let flashStrobe = ControlID(rawValue: 0x009c_0903)
  /// `V4L2_CID_FLASH_STROBE_STOP`
  package static let flashStrobeStop = ControlID(rawValue: 0x009c_0904)
  /// `V4L2_CID_FLASH_TIMEOUT`, microseconds
  package static let flashTimeout = ControlID(rawValue: 0x009c_0906)
  /// `V4L2_CID_FLASH_INTENSITY`
  package static let flashIntensity = ControlID(rawValue: 0x009c_0907)
  /// `V4L2_CID_FLASH_TORCH_INTENSITY`
  package static let torchIntensity = ControlID(rawValue: 0x009c_0908)

  // Image source and image process classes.
  /// `V4L2_CID_HBLANK`
  package static let horizontalBlanking = ControlID(rawValue: 0x009e_0902)
  /// `V4L2_CID_ANALOGUE_GAIN`
  package static let analogueGain = ControlID(rawValue: 0x009e_0903)
  /// `V4L2_CID_PIXEL_RATE`
  package static let pixelRate = ControlID(rawValue: 0x009f_0902)
}
