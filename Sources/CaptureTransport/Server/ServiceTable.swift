import CaptureWire

/// Which service answers which method.
struct ServiceTable: Sendable {
  let methods: MethodTable
  private let handlers: [String: any ServiceHandler]

  init(_ services: [any ServiceHandler]) {
    methods = MethodTable(services.flatMap(\.methods))
    handlers = Dictionary(
      services.flatMap { service in service.methods.map { ($0.name, service) } },
      uniquingKeysWith: { first, _ in first })
  }

  func handler(of method: MethodDescriptor) -> any ServiceHandler { handlers[method.name]! }
}
