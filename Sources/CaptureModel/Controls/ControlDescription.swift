/// The number of a driver's control (`V4L2_CID_*`).
public struct ControlID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// `enum v4l2_ctrl_type`; compound types that are not integers are `.compound`.
public enum ControlType: Hashable, Sendable {
  /// `V4L2_CTRL_TYPE_INTEGER` and those after it.
  case integer, boolean, menu, button, integer64, controlClass, string, bitmask, integerMenu
  /// Arrays of integers without a sign.
  case u8, u16, u32
  /// A struct of the driver; the value is the type's number in `v4l2_ctrl_type`.
  case compound(UInt32)
}

/// The driver's description of a control (`VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_QUERYMENU`).
public struct ControlDescription: Hashable, Sendable {
  /// The driver's number, `V4L2_CID_*`.
  public var id: ControlID
  /// `label` as one word, made as v4l2-ctl does it: lower case, each run of other characters one '_'.
  public var name: String
  /// The driver's name: "White Balance, Automatic".
  public var label: String
  /// What its values are.
  public var type: ControlType
  /// The smallest value. For a string, its shortest length.
  public var minimum: Int64
  /// The largest value. For a string, its greatest length.
  public var maximum: Int64
  /// The distance from one possible value to the next.
  public var step: UInt64
  /// The value that the driver began with.
  public var defaultValue: Int64
  /// The items of a menu; empty for other types. There may be holes between their indexes.
  public var menu: [MenuItem]
  /// The number of values: 1 unless the control is an array. For a dynamic array, the number that it has now.
  public var elements: Int
  /// The dimensions of an array, which may have a single element. For a dynamic array, the largest that it takes.
  public var dimensions: [Int]
  /// Bytes of one element.
  public var elementSize: Int
  /// What may be done with the control now.
  public var flags: ControlFlags
  /// The class's label: "User Controls".
  public var className: String

  public init(
    id: ControlID, name: String, label: String, type: ControlType, minimum: Int64 = 0, maximum: Int64 = 0,
    step: UInt64 = 1, defaultValue: Int64 = 0, menu: [MenuItem] = [], elements: Int = 1,
    dimensions: [Int] = [],
    elementSize: Int = 4, flags: ControlFlags = [], className: String = "User Controls"
  ) {
    self.id = id
    self.name = name
    self.label = label
    self.type = type
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.defaultValue = defaultValue
    self.menu = menu
    self.elements = elements
    self.dimensions = dimensions
    self.elementSize = elementSize
    self.flags = flags
    self.className = className
  }

  /// An item of a menu.
  public struct MenuItem: Hashable, Sendable {
    /// The control's value while this item is chosen.
    public var index: Int64
    /// What the item stands for.
    public var content: Content
    /// What an item stands for.
    public enum Content: Hashable, Sendable {
      /// The driver's name of an item of a menu.
      case name(String)
      /// The number of an item of an integer menu.
      case value(Int64)
    }

    public init(index: Int64, content: Content) {
      self.index = index
      self.content = content
    }
  }
}

/// `V4L2_CTRL_FLAG_*`.
public struct ControlFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The driver has the control, and this camera does not.
  public static let disabled = ControlFlags(rawValue: 0x0001)
  /// Another program uses it, or a stream does.
  public static let grabbed = ControlFlags(rawValue: 0x0002)
  /// It cannot be set.
  public static let readOnly = ControlFlags(rawValue: 0x0004)
  /// Setting it changes other controls.
  public static let update = ControlFlags(rawValue: 0x0008)
  /// Another control has taken it over now.
  public static let inactive = ControlFlags(rawValue: 0x0010)
  /// A hint to show it as a slider.
  public static let slider = ControlFlags(rawValue: 0x0020)
  /// It cannot be read.
  public static let writeOnly = ControlFlags(rawValue: 0x0040)
  /// It changes by itself, without an event.
  public static let volatile = ControlFlags(rawValue: 0x0080)
  /// Its value is a text, an array or a struct.
  public static let hasPayload = ControlFlags(rawValue: 0x0100)
  /// Setting it does something, also where the value stays the same.
  public static let executeOnWrite = ControlFlags(rawValue: 0x0200)
  /// Setting it changes the layout of the frame buffers.
  public static let modifyLayout = ControlFlags(rawValue: 0x0400)
  /// An array whose number of elements can change.
  public static let dynamicArray = ControlFlags(rawValue: 0x0800)
}
