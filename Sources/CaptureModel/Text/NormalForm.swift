extension FixedWidthInteger {
  /// The number that `text` is in the form in which this type writes it: decimal, without leading zeros, and without "+". `nil`: `text` is no such
  /// number.
  ///
  /// So a number by which a client names something has only one spelling, and that one has a bounded length.
  package init?(normalForm text: some StringProtocol) {
    guard let number = Self(text), String(number) == text else { return nil }
    self = number
  }
}
