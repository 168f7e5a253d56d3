extension FixedWidthInteger {
  /// The number that `text` writes in decimal as this type does itself: without zeros before it, and without "+". `nil`: it is none.
  ///
  /// A number that a client names something by has one spelling, of bounded length, however long a text may be.
  package init?(normalForm text: some StringProtocol) {
    guard let number = Self(text), String(number) == text else { return nil }
    self = number
  }
}
