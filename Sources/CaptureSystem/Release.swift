/// How the programs of this package name themselves and their version.
package enum Release {
  package static let version = "0.1.0"
}
