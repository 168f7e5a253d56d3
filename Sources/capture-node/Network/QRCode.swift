import Glibc

/// A QR code of a text, which libqrencode makes. That library is loaded only when a code is asked for, since few users need one.
struct QRCode {
  /// How many squares a side has.
  let width: Int
  /// Row by row: whether a square is dark.
  let squares: [Bool]

  /// The margin that a reader needs around the code, in squares.
  static let margin = 2

  /// `QRcode` of qrencode.h.
  private struct Symbol {
    var version, width: Int32
    var data: UnsafeMutablePointer<UInt8>?
  }

  /// `QRcode_encodeString8bit`: the text, the lowest version, and the level of error correction.
  private typealias Encode = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> UnsafeMutableRawPointer?
  private typealias Release = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private init(width: Int, squares: [Bool]) { (self.width, self.squares) = (width, squares) }

  /// `nil`: libqrencode is not there.
  static func make(of text: String) -> QRCode? {
    guard let library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL),
      let encode = dlsym(library, "QRcode_encodeString8bit"), let release = dlsym(library, "QRcode_free")
    else { return nil }
    // The smallest version in which the text fits, with the lowest level of error correction, since a terminal has no dirt.
    guard let made = unsafeBitCast(encode, to: Encode.self)(text, 0, 0) else { return nil }
    defer { unsafeBitCast(release, to: Release.self)(made) }
    let symbol = made.load(as: Symbol.self)
    let width = Int(symbol.width)
    guard width > 0, let data = symbol.data else { return nil }
    return QRCode(width: width, squares: (0..<width * width).map { data[$0] & 1 == 1 })
  }

  /// The columns that a terminal needs for the code.
  var columns: Int { width + 2 * Self.margin }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    let (row, column) = (row - Self.margin, column - Self.margin)
    return 0..<width ~= row && 0..<width ~= column && squares[row * width + column]
  }

  /// The code for a terminal: each line has two rows of squares, black on white whatever the terminal's colours are.
  var text: String {
    stride(from: 0, to: columns, by: 2).map { row in
      let line = (0..<columns).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
      return "\u{1B}[30;107m\(line)\u{1B}[0m\n"
    }.joined()
  }
}

extension QRCode {
  /// Shows a text as a code on standard error. Returns why it cannot be shown; `nil`: it is shown.
  static func show(_ text: String) -> String? {
    var size = winsize()
    guard isatty(STDERR_FILENO) == 1, ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else {
      return "standard error is no terminal"
    }
    guard let code = make(of: text) else {
      return "libqrencode is not installed: apt install libqrencode4"
    }
    guard Int(size.ws_col) >= code.columns else {
      return "the terminal has \(size.ws_col) columns, and the code needs \(code.columns)"
    }
    return Log.write(code.text, to: STDERR_FILENO).map { "\($0)" }
  }
}
