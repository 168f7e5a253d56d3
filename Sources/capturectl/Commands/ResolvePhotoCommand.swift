import CaptureClient
import CaptureOptions

/// Prints how a photo, or each of several, would be made.
func resolvePhoto(
  _ settings: PhotoSettings, _ plan: PhotoSequencePlan?, _ context: CommandContext
) async throws {
  let output = PhotoOutput(context.origin, of: context.node)
  let resolved =
    switch plan?.kind {
    case .bracket(let steps): try await output.resolve(settings, bracket: steps)
    case .burst(let count): try await output.resolve(settings, burst: count)
    case .count, nil: try await output.resolve(settings)
    }
  try context.print(JSON(resolved), text: resolved.text)
}

extension ResolvedPhoto {
  /// A line for each file, and one for the rest.
  fileprivate var text: String {
    let lines = files.map { file in
      let turned = file.orientationMethod.map { ", turned: \($0.rawValue)" } ?? ""
      return
        "\(file.type.rawValue)  \(file.size), of \(file.source)\(file.isReencoded ? ", encoded again" : "")\(turned)"
    }
    var rest = [
      settling == .zero
        ? "does not wait" : "waits for automatic modes, \((settling / .seconds(1)).shortText) s at most"
    ]
    if let flash { rest.append("flash \(flash.word)") }
    if let thumbnail { rest.append("thumbnail \(thumbnail)") }
    if let preview { rest.append("preview \(preview)") }
    return (lines + [rest.joined(separator: ", ")]).map { "\($0)\n" }.joined()
  }
}

extension ResolvedPhoto: JSONValue {
  var json: JSON {
    [
      "files": files, "flash": flash?.word,
      "settling_seconds": JSON.number(settling / .seconds(1), decimals: 3), "thumbnail": thumbnail,
      "preview": preview,
    ]
  }
}

extension ResolvedPhoto.File: JSONValue {
  var json: JSON {
    [
      "type": type.rawValue, "size": size, "source_pixel_format": "\(source)", "reencoded": isReencoded,
      "orientation_method": orientationMethod?.rawValue,
    ]
  }
}
