/// A command of a program, or the program itself as its root.
public struct Command: Sendable {
  public var name: String
  /// One line, a sentence with its full stop.
  public var summary: String
  /// The paragraphs below the summary.
  public var discussion: [String]
  public var positionals: [PositionalDescription]
  /// Options of this command and of the commands below it.
  public var options: [OptionDescription]
  public var commands: [Command]
  /// Whether the command also runs without one of the commands below it.
  public var runsAlone: Bool
  public var examples: [Example]

  public init(
    _ name: String, summary: String, discussion: [String] = [],
    positionals: [PositionalDescription] = [],
    options: [any OptionDeclaration] = [], commands: [Command] = [], runsAlone: Bool = false,
    examples: [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.options = options.map(\.declaration)
    self.commands = commands
    self.runsAlone = runsAlone
    self.examples = examples
  }

  var visibleOptions: [OptionDescription] { options.filter { !$0.isHidden } }

  /// A command line and its effect.
  public struct Example: Sendable {
    public var line: String
    public var explanation: String

    public init(_ line: String, _ explanation: String) {
      self.line = line
      self.explanation = explanation
    }
  }
}
