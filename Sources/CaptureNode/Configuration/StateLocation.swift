/// Where a node keeps the settings that clients made.
public enum StateLocation: Hashable, Sendable {
  /// In `$STATE_DIRECTORY`, which systemd sets, or else where a user's programs keep their state.
  case usual
  /// The node keeps nothing; the next start begins without settings.
  case none
  case file(String)

  /// Reads what a person wrote: "none", or a path. `nil` for an empty text.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self = text == "none" ? .none : .file(text)
  }

  /// The path of the file; `nil`: no file is kept, or the environment does not say where.
  public func path(environment: (String) -> String?) -> String? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    switch self {
    case .none: return nil
    case .file(let path): return path
    case .usual:
      // For a unit with several directories systemd lists them all, separated by colons.
      if let folder = folder("STATE_DIRECTORY") { return "\(folder.prefix { $0 != ":" })/state.json" }
      if let folder = folder("XDG_STATE_HOME") { return "\(folder)/remote-capture/state.json" }
      return folder("HOME").map { "\($0)/.local/state/remote-capture/state.json" }
    }
  }
}
