import CaptureWire

/// Finds the service for a method.
struct ServiceTable: Sendable {
  struct Entry: Sendable {
    let handler: any ServiceHandler
    let metadata: MetadataUse
  }

  let methods: MethodTable
  private let entries: [Entry]

  init(_ services: [any ServiceHandler]) {
    methods = MethodTable(services.flatMap(\.methods))
    entries = services.flatMap { service in
      service.methods.map {
        Entry(handler: service, metadata: service.metadata(of: $0))
      }
    }
  }

  /// The entry at a method's place in ``methods``.
  subscript(place: Int) -> Entry { entries[place] }
}
