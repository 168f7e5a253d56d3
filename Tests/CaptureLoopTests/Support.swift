import Foundation
import Testing

/// Checks `condition` until it holds, at most 10 s.
func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
  for _ in 0..<5_000 {
    if condition() { return }
    try? await Task.sleep(for: .milliseconds(2))
  }
  Issue.record(what, sourceLocation: sourceLocation)
}

/// Descriptors that this process has open. Tests beside this one have some too: what leaks shows when it leaks often.
func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
