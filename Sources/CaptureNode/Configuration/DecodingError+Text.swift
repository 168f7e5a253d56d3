extension DecodingError {
  /// Says what is wrong with a JSON text, and where.
  static func text(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .dataCorrupted(let context):
      return path(context) + context.debugDescription
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return path(context) + "takes " + word(for: type)
    case .keyNotFound(_, let context): return path(context) + context.debugDescription
    @unknown default: return "\(error)"
    }
  }

  /// JSON's name for a value of a type.
  private static func word(for type: any Any.Type) -> String {
    let name = "\(type)"
    if type == Bool.self { return "true or false" }
    if type == String.self { return "a text: \"…\"" }
    if name.hasPrefix("Array") { return "a list: [ … ]" }
    if name.hasPrefix("Dictionary") { return "an object: { … }" }
    return "a number"
  }

  /// The key that is wrong, as in "listen[1]"; empty: the whole text.
  static func key(of error: any Error) -> String {
    switch error as? DecodingError {
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      keyText(context)
    default: ""
    }
  }

  /// "listen[1]: "
  private static func path(_ context: DecodingError.Context) -> String {
    let text = keyText(context)
    return text.isEmpty ? "" : text + ": "
  }

  private static func keyText(_ context: DecodingError.Context) -> String {
    context.codingPath.reduce("") { path, key in
      if let index = key.intValue { return path + "[\(index)]" }
      return path.isEmpty ? key.stringValue : path + "." + key.stringValue
    }
  }
}
