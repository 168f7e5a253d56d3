import CaptureModel
import CaptureWire

/// A control of a camera's driver, as it is now.
public struct RemoteControl: Hashable, Sendable {
  public var description: CaptureModel.ControlDescription
  /// `nil` where it cannot be read.
  public var value: CaptureModel.ControlValue?

  public init(description: CaptureModel.ControlDescription, value: CaptureModel.ControlValue?) {
    self.description = description
    self.value = value
  }
}

/// The value of a control, as the driver reports it.
public struct ControlReadout: Hashable, Sendable {
  public var id: ControlID
  /// The driver's name as one word: "white_balance_automatic".
  public var name: String
  public var value: CaptureModel.ControlValue?
  /// The name of a menu's current item.
  public var menuName: String?

  public init(id: ControlID, name: String, value: CaptureModel.ControlValue?, menuName: String? = nil) {
    self.id = id
    self.name = name
    self.value = value
    self.menuName = menuName
  }

  init(_ message: ControlReading) {
    self.init(
      id: ControlID(rawValue: message.id), name: message.name,
      value: try? message.value?.model(),
      menuName: message.menuName.isEmpty ? nil : message.menuName)
  }
}

/// The result of setting controls.
public struct RemoteControlsResult: Equatable, Sendable {
  /// The driver's values of the controls that can be read, in the order in which they were set.
  public var readouts: [ControlReadout]
  /// The change's number, for ``RemoteNode/awaitChange(_:of:)``.
  public var change: UInt64
  /// Whether a frame to come will be the first that has the change. Otherwise it is the first frame of the next stream.
  public var isStreaming: Bool
  /// The values that were set differently from what was asked for.
  public var clamped: [RemoteClampedValue]

  init(_ response: SetControlsResponse) {
    readouts = response.readings.map { ControlReadout($0) }
    (change, isStreaming, clamped) = (response.change, response.streaming, response.clamped)
  }
}

/// A value for a control.
public enum ControlSetting: Hashable, Sendable {
  case value(CaptureModel.ControlValue)
  /// A value as a person writes it: a number, on or off, a menu's name, a text, "1,2,3" for an array. The node reads it by the control's type.
  case literal(String)
}
