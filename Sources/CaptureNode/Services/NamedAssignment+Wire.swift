import CaptureEngine
import CaptureModel
import CaptureWire

extension NamedAssignment {
  /// Throws `invalidArgument`, which names the assignment's place in `list`, for one without a value.
  static func all(_ assignments: [CaptureWire.ControlAssignment], in list: String) throws(CaptureError)
    -> [NamedAssignment]
  {
    var all: [NamedAssignment] = []
    for (index, assignment) in assignments.enumerated() {
      do throws(CaptureError) { all.append(try NamedAssignment(assignment)) } catch {
        throw error.below("\(list)[\(index)]")
      }
    }
    return all
  }

  private init(_ assignment: CaptureWire.ControlAssignment) throws(CaptureError) {
    switch assignment.kind {
    case .value(let value):
      do throws(CaptureError) {
        self.init(name: assignment.name, value: .value(try value.model()))
      } catch { throw error.about(field: "value") }
    case .literal(let text): self.init(name: assignment.name, value: .literal(text))
    case nil:
      throw CaptureError(
        .invalidArgument, "the value for \(assignment.name.quoted) is missing",
        .init(.valueMissing, field: "value"))
    }
  }
}
