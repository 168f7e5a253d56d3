/// A program's command line as one table, from which parsing, help, the manual page and the shells' completions are made.
public struct Program: Sendable {
  /// The program's own name, options, arguments and commands.
  public var root: Command
  /// "0.1.0"
  public var version: String
  /// Exit statuses and what each means.
  public var exitStatuses: [(status: Int32, meaning: String)]
  /// Variables that are read besides those of the options.
  public var environment: [(name: String, meaning: String)]
  /// "capture-node(1)"
  public var seeAlso: [String]

  public init(
    _ root: Command, version: String, exitStatuses: [(status: Int32, meaning: String)],
    environment: [(name: String, meaning: String)] = [], seeAlso: [String] = []
  ) {
    self.root = root
    self.root.options += [
      Flag.version.declaration, Flag.help.declaration, Self.generate.declaration,
    ]
    self.version = version
    self.exitStatuses = exitStatuses
    self.environment = environment
    self.seeAlso = seeAlso
  }

  public var name: String { root.name }

  /// Every program prints the pages that are made from its table, for packagers.
  static let generate = Option(
    "generate", .choice("PAGE", Page.allCases.map(\.rawValue)), help: "Print a page.", isHidden: true)

  /// The options that print something, and end the program.
  static let printingOptions = [
    Flag.version.declaration.name, Flag.help.declaration.name, generate.declaration.name,
  ]
}
