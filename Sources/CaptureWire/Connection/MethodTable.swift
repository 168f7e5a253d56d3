import CaptureModel

/// The methods that a node offers, by name.
package struct MethodTable: Sendable {
  private let methods: [MethodDescriptor]
  private let places: [String: Int]

  /// If two methods have the same name, the first counts.
  package init(_ methods: [MethodDescriptor]) {
    self.methods = methods
    places = Dictionary(
      methods.indices.map { (methods[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The method's place among the methods of which the table was made.
  package func place(of name: String) -> Int? { places[name] }

  package subscript(place: Int) -> MethodDescriptor { methods[place] }

  /// The text for a client that asked for an unknown method: it lists the methods of its service, or the services.
  package func refusal(of name: String) -> String {
    let service = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    let siblings = places.keys.filter { $0.hasPrefix(service + "/") }.sorted()
    if !siblings.isEmpty {
      return "there is no method \(name.quoted); its service has: \(siblings.joined(separator: ", "))"
    }
    let services = Set(places.keys.map { String($0.prefix { $0 != "/" }) }).sorted()
    return "there is no method \(name.quoted); the services are: \(services.joined(separator: ", "))"
  }
}
