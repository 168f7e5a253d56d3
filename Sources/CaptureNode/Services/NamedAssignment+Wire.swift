import CaptureEngine
import CaptureModel
import CaptureWire

extension NamedAssignment {
  /// Throws `invalidArgument` for an assignment without a value.
  init(_ assignment: CaptureWire.ControlAssignment) throws(CaptureError) {
    switch assignment.kind {
    case .value(let value): self.init(name: assignment.name, value: .value(try value.model()))
    case .literal(let text): self.init(name: assignment.name, value: .literal(text))
    case nil:
      throw CaptureError(
        .invalidArgument, "the value for \(assignment.name.quoted) is missing",
        .init(.valueMissing, field: "assignments.value"))
    }
  }
}
