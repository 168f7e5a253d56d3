/// What the programs of this package say of themselves.
package enum Release {
  package static let version = "0.1.0"
}
