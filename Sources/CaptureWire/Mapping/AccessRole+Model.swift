package import CaptureModel

extension Role: NumberedOnWire {
  package typealias Model = AccessRole

  /// `nil`: unspecified, or a role that this version does not know.
  package var model: AccessRole? { known }

  /// The role of a request. `field`: the role's path in the request. Throws `invalidArgument`, which lists the roles.
  package func model(_ field: String) throws(CaptureError) -> AccessRole { try known("role", field) }
}
