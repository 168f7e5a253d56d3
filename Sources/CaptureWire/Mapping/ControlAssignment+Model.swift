package import CaptureModel

extension ControlAssignment {
  package init(_ assignment: NamedAssignment) {
    let kind: Kind =
      switch assignment.value {
      case .value(let value): .value(ControlValue(value))
      case .literal(let text): .literal(text)
      }
    self.init(name: assignment.name, kind: kind)
  }

  /// Throws `invalidArgument` for an assignment without a value.
  fileprivate func model() throws(CaptureError) -> NamedAssignment {
    switch kind {
    case .value(let value):
      do throws(CaptureError) { return NamedAssignment(name: name, value: .value(try value.model())) } catch {
        throw error.about(field: "value")
      }
    case .literal(let text): return NamedAssignment(name: name, value: .literal(text))
    case nil:
      throw CaptureError(
        .invalidArgument, "the value for \(name.quoted) is missing", .init(.valueMissing, field: "value"))
    }
  }
}

extension [ControlAssignment] {
  /// Throws `invalidArgument` for an assignment without a value; the error names its place in `field`.
  package func model(_ field: String) throws(CaptureError) -> [NamedAssignment] {
    var all: [NamedAssignment] = []
    for (index, assignment) in enumerated() {
      do throws(CaptureError) { all.append(try assignment.model()) } catch {
        throw error.below("\(field)[\(index)]")
      }
    }
    return all
  }
}
