import CaptureModel

/// What a stream is used for.
package struct StreamUse: Sendable {
  /// The single use for which a temporary stream was started and which is not over, for messages: "photo"; `nil`: subscribers or a session have the
  /// stream.
  package var temporary: String?
  /// Whether the node's own modes get the frames. A temporary use may not need them.
  package var isForAutomation = true
  /// Whether a running session keeps the stream prepared, with or without viewers.
  package var isOfSession = false

  package static let subscribers = StreamUse()

  package var isForSubscribers: Bool { temporary == nil }
}

/// Makes the consumers that join every stream of a device by themselves, and keep no stream running. Parts add the consumers that they need; the
/// device knows none of them.
package final class Onlookers {
  /// Returns the consumer for a stream that begins or is used for more than before; `nil`: none. It is asked until it has returned one for that
  /// stream.
  package typealias Factory = (StreamUse) -> (any FrameConsumer)?
  /// Adds the facts of the consumer to the description of a camera that streams.
  package typealias Describer = (inout SettingsDescription) -> Void

  private struct Entry {
    let makeConsumer: Factory
    let describe: Describer?
    /// The stream that the consumer has joined.
    weak var hub: StreamHub?
  }
  private var entries: [Entry] = []

  package func add(_ makeConsumer: @escaping Factory, describe: Describer? = nil) {
    entries.append(Entry(makeConsumer: makeConsumer, describe: describe))
  }

  /// Adds the facts of the consumers to the description of a camera that streams.
  func describe(into description: inout SettingsDescription) {
    for entry in entries { entry.describe?(&description) }
  }

  /// Lets the consumers join that want a stream of this use and have not joined it yet. Throws the reason if the stream is over.
  func join(_ hub: StreamHub, for use: StreamUse) throws(CaptureError) {
    for index in entries.indices where entries[index].hub !== hub {
      guard let consumer = entries[index].makeConsumer(use) else { continue }
      try hub.join(consumer)
      entries[index].hub = hub
    }
  }
}
