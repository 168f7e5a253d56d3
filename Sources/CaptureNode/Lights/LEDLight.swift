public import CaptureModel
import CaptureSystem
import Glibc

/// An LED that the kernel lists under `/sys/class/leds`, as a torch.
public struct LEDLight: LightSource {
  private let directory: String
  private let maximum: Int
  public let name: String

  /// The LED at `root/name`. Throws `invalidArgument` for a text that is no LED's name, and `notFound` for an LED that is not there or cannot be
  /// read.
  public init(_ name: String, root: String = "/sys/class/leds") throws(CaptureError) {
    self.name = "LED \(name)"
    directory = "\(root)/\(name)"
    guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      throw CaptureError(.invalidArgument, "\"\(name)\" is not the name of an LED in \(root)")
    }
    do throws(Errno) {
      let text = try SmallFile.text(of: "\(directory)/max_brightness")
      guard let maximum = Int(text), maximum > 0 else {
        throw Errno(rawValue: EINVAL)
      }
      self.maximum = maximum
    } catch {
      throw CaptureError(.notFound, "there is no LED \"\(name)\" in \(root): \(error)", cause: error)
    }
  }

  public var steps: Int? { maximum }

  public func level() throws(CaptureError) -> Double {
    do throws(Errno) {
      return Double(Int(try SmallFile.text(of: "\(directory)/brightness")) ?? 0) / Double(maximum)
    } catch {
      throw CaptureError(
        .unavailable, "\(name) cannot be read: \(error)", cause: error, .init(.notResponding))
    }
  }

  public func set(_ level: Double) throws(CaptureError) {
    // A light that is to be on must not become off by rounding.
    let brightness = level > 0 ? max(1, Int((level * Double(maximum)).rounded())) : 0
    do throws(Errno) {
      let file = try OwnedDescriptor(path: "\(directory)/brightness", flags: O_WRONLY | O_TRUNC)
      let text = Array("\(brightness)\n".utf8)
      _ = try retryingInterrupts { write(file.raw, text, text.count) }
    } catch {
      let isForbidden = error.rawValue == EACCES || error.rawValue == EPERM
      throw CaptureError(
        isForbidden ? .permissionDenied : .unavailable,
        isForbidden
          ? "\(name) may not be set: let the node's user write \(directory)/brightness (a udev rule does)"
          : "\(name) cannot be set: \(error)", cause: error,
        .init(isForbidden ? .noPermission : .notResponding))
    }
  }
}
