/// The methods that a node offers, by name.
package struct MethodTable: Sendable {
  private let methods: [String: MethodDescriptor]

  package init(_ methods: [MethodDescriptor]) {
    self.methods = Dictionary(methods.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  package subscript(name: String) -> MethodDescriptor? { methods[name] }

  /// What to tell a client that asked for an unknown method: the methods of its service, or the services there are.
  package func refusal(of name: String) -> String {
    let shown = name.utf8.count > 200 ? String(name.prefix(60)) + "…" : name
    let service = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    let siblings = methods.keys.filter { $0.hasPrefix(service + "/") }.sorted()
    if !siblings.isEmpty {
      return "there is no method '\(shown)'; its service has: \(siblings.joined(separator: ", "))"
    }
    let services = Set(methods.keys.map { String($0.prefix { $0 != "/" }) }).sorted()
    return "there is no method '\(shown)'; the services are: \(services.joined(separator: ", "))"
  }
}
