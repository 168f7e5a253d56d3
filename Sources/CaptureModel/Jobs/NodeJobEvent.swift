/// What happened to a job.
public struct NodeJobEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// It was there when the watch began.
    case present
    /// It began, took a photo, missed one, or ended.
    case changed
    /// It was removed. Of ``NodeJobEvent/job`` only the id is set.
    case removed
  }
  /// What happened.
  public var kind: Kind
  /// The job as it is now.
  public var job: NodeJob

  package init(_ kind: Kind, _ job: NodeJob) { (self.kind, self.job) = (kind, job) }
}
