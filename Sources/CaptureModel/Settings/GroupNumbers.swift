/// Numbers of a camera's focus: as they are, as they are to become, or what they can be.
public protocol FocusNumbers {
  /// A number, or what is known of one.
  associatedtype Number
  /// The numbers by setting. The members below name them.
  var numbers: SettingKeyed<Number> { get set }
}

extension FocusNumbers {
  /// `AVCaptureDevice.lensPosition`: 0 (nearest) to 1 (infinity).
  @inlinable public var lensPosition: Number? {
    get { numbers[.lensPosition] }
    set { numbers[.lensPosition] = newValue }
  }
}

/// Numbers of a camera's exposure: as they are, as they are to become, or what they can be.
public protocol ExposureNumbers {
  /// A number, or what is known of one.
  associatedtype Number
  /// The numbers by setting. The members below name them.
  var numbers: SettingKeyed<Number> { get set }
}

extension ExposureNumbers {
  /// Seconds (`exposureDuration`).
  @inlinable public var duration: Number? {
    get { numbers[.exposureDuration] }
    set { numbers[.exposureDuration] = newValue }
  }

  /// `iso`. A camera without a control for it, and without a calibrated gain, has none.
  @inlinable public var iso: Number? {
    get { numbers[.iso] }
    set { numbers[.iso] = newValue }
  }

  /// The driver's units, instead of `iso`.
  @inlinable public var gain: Number? {
    get { numbers[.gain] }
    set { numbers[.gain] = newValue }
  }

  /// EV (`exposureTargetBias`).
  @inlinable public var bias: Number? {
    get { numbers[.exposureBias] }
    set { numbers[.exposureBias] = newValue }
  }

  /// How far the picture is off its target, in EV (`exposureTargetOffset`); only while the node exposes, or while a client watches it.
  @inlinable public var targetOffset: Number? {
    get { numbers[.exposureTargetOffset] }
    set { numbers[.exposureTargetOffset] = newValue }
  }
}

/// Numbers of a camera's white balance: as they are, or what they can be.
public protocol WhiteBalanceNumbers {
  /// A number, or what is known of one.
  associatedtype Number
  /// The numbers by setting. The members below name them.
  var numbers: SettingKeyed<Number> { get set }
}

extension WhiteBalanceNumbers {
  /// Kelvin.
  @inlinable public var temperature: Number? {
    get { numbers[.temperature] }
    set { numbers[.temperature] = newValue }
  }

  /// -150 to 150: see ``TemperatureAndTint/tint``.
  @inlinable public var tint: Number? {
    get { numbers[.tint] }
    set { numbers[.tint] = newValue }
  }
}
