/// What a program can print about itself for other programs.
public enum Page: String, CaseIterable, Sendable {
  case man, bash, zsh, fish

  /// Shells that completions are made for.
  public static let shells: [Page] = [.bash, .zsh, .fish]
}

extension Program {
  /// The manual page, or the completions for a shell.
  public func page(_ page: Page) -> String {
    switch page {
    case .man: manPage
    case .bash: bashCompletions
    case .zsh: zshCompletions
    case .fish: fishCompletions
    }
  }

  /// Every command with the commands above it, the root first.
  var commandPaths: [[Command]] {
    func below(_ path: [Command]) -> [[Command]] {
      [path] + path[path.count - 1].commands.flatMap { below(path + [$0]) }
    }
    return below([root])
  }
}
