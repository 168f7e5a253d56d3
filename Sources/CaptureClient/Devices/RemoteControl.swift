import CaptureModel
import CaptureWire

/// A control of a camera's driver as it is now.
public struct RemoteControl: Hashable, Sendable {
  public var description: CaptureModel.ControlDescription
  /// `nil` where it cannot be read.
  public var value: CaptureModel.ControlValue?

  public init(description: CaptureModel.ControlDescription, value: CaptureModel.ControlValue?) {
    self.description = description
    self.value = value
  }
}

/// The value of a control as the driver says it.
public struct ControlReadout: Hashable, Sendable {
  public var id: ControlID
  /// The driver's name made into a word: "white_balance_automatic".
  public var name: String
  public var value: CaptureModel.ControlValue?
  /// Of a menu's current item.
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

/// What setting controls came to.
public struct RemoteControlsResult: Equatable, Sendable {
  /// What the driver says of those that can be read, in the order in which they were set.
  public var readouts: [ControlReadout]
  /// The change's number, for ``RemoteNode/awaitChange(_:of:)``.
  public var change: UInt64
  /// Some frame to come is the first that has it. Else the next stream's first has it.
  public var isStreaming: Bool
  /// What was not set as asked.
  public var clamped: [RemoteClampedValue]

  init(_ response: SetControlsResponse) {
    readouts = response.readings.map { ControlReadout($0) }
    (change, isStreaming, clamped) = (response.change, response.streaming, response.clamped)
  }
}

/// A value for a control.
public enum ControlSetting: Hashable, Sendable {
  case value(CaptureModel.ControlValue)
  /// As a person writes it: a number, on or off, a menu's name, a text, "1,2,3" for an array. The node reads it by the control's type.
  case literal(String)
}
