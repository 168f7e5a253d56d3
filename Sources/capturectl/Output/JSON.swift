import CaptureClient

/// A JSON document; objects keep the order of their members.
enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  /// A number with a fixed number of decimals. One that is not finite becomes null.
  case number(Double, decimals: Int)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])
}

/// A value that a document can have: `["name": camera.name, "size": camera.size]`.
protocol JSONValue {
  var json: JSON { get }
}

extension JSON: JSONValue, ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, any JSONValue)...) {
    self = .object(elements.map { ($0, $1.json) })
  }
  init(_ value: some JSONValue) { self = value.json }

  var json: JSON { self }
}

/// `nil` becomes `null`.
extension Optional: JSONValue where Wrapped: JSONValue {
  var json: JSON { self?.json ?? .null }
}

extension Array: JSONValue where Element: JSONValue {
  var json: JSON { .array(map(\.json)) }
}

extension String: JSONValue { var json: JSON { .string(self) } }
extension Bool: JSONValue { var json: JSON { .bool(self) } }
extension Int: JSONValue { var json: JSON { .integer(Int64(self)) } }
extension Int32: JSONValue { var json: JSON { .integer(Int64(self)) } }
extension Int64: JSONValue { var json: JSON { .integer(self) } }
extension UInt16: JSONValue { var json: JSON { .unsigned(UInt64(self)) } }
extension UInt32: JSONValue { var json: JSON { .unsigned(UInt64(self)) } }
extension UInt64: JSONValue { var json: JSON { .unsigned(self) } }

extension JSON {
  /// This object, with the members of `other` behind its own.
  func adding(_ other: JSON) -> JSON {
    guard case .object(let members) = self, case .object(let more) = other else { return self }
    return .object(members + more)
  }

  /// This object without its members that are `null`.
  var withoutNulls: JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { if case .null = $0.1 { false } else { true } })
  }
}

extension JSON: CustomStringConvertible {
  /// The document on one line.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .number(let value, let decimals): value.isFinite ? fixed(value, decimals) : "null"
    case .string(let text): Self.quoted(text)
    case .array(let items): "[" + items.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0)):\($1)" }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isHidden:
        // A hidden character is escaped, so that a person at a terminal sees it; a program reads the same text.
        for unit in UTF16.encode(scalar)! {
          let hex = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
