// What libFuzzer runs (meter.c): everything that reads a text of access and configuration. It is compiled with Sources/CaptureNode/Configuration as one
// module, so that it reaches what is inside. Built and run by scripts/fuzz.
import CaptureAccess
import CaptureModel
import CaptureSystem
import FoundationEssentials

/// The first byte of an input says what the rest is: a letter, so that the corpus can be read.
@_cdecl("fuzz_one")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard count > 0, let start else { return }
  let rest = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let text = String(decoding: rest, as: UTF8.self)
  switch start[0] {
  case UInt8(ascii: "p"): readPairingLine(text)
  case UInt8(ascii: "f"): readFingerprintLine(text)
  case UInt8(ascii: "c"): readCredential(text)
  case UInt8(ascii: "k"): readKnownNode(rest)
  case UInt8(ascii: "a"):
    if let document = readJSON5(rest, as: ConfiguredAccess.Contents.self) {
      checkClients(ConfiguredAccess.clients(in: document))
    }
  default:
    if let document = readJSON5(rest, as: ConfigurationFile.self) {
      _ = document.contents.applied(to: NodeSettings())
    }
  }
}

/// What is read is what would be printed, and an error repeats no line, which may have a secret.
private func readPairingLine(_ text: String) {
  do {
    let line = try PairingLine(parsing: text)
    precondition(try! PairingLine(parsing: line.text) == line)
    precondition(line.code.count == PairingLine.codeLength)
    precondition(1...PairingLine.mostAddresses ~= line.addresses.count && line.port > 0)
    precondition(line.text.utf8.allSatisfy { 0x21...0x7E ~= $0 })
  } catch {
    checkIsSilent("\(error)")
  }
}

private func readFingerprintLine(_ text: String) {
  do {
    let line = try FingerprintLine(parsing: text)
    precondition(try! FingerprintLine(parsing: line.text) == line)
  } catch {
    checkIsSilent("\(error)")
  }
}

private func readCredential(_ text: String) {
  guard let credential = Credential(text) else { return }
  precondition(credential.text == text.lowercased())
  precondition(!"\(credential)".contains(credential.secret.hexadecimal))
}

private func readKnownNode(_ text: [UInt8]) {
  guard let node = KnownNodes.node("studio", in: text) else { return }
  precondition(!node.addresses.isEmpty)
}

private func checkClients(_ clients: [ConfiguredClient]) {
  let secrets = clients.flatMap(\.client.secrets)
  precondition(Set(secrets).count == secrets.count)
  for client in clients.map(\.client) {
    precondition(KnownClient.isName(client.name))
    precondition(client.cameras.patterns.allSatisfy(CameraScope.isPattern))
    precondition(client.role != .admin || client.cameras.isEvery && !client.isForPlaintext)
  }
}

/// What is read has no fault for the scanner either, which tells of keys that are there twice.
private func readJSON5<Contents>(_ text: [UInt8], as type: Contents.Type) -> JSON5Document<Contents>? {
  do {
    let document = try JSON5Document<Contents>(Data(text), named: "node.json5")
    let fault = JSON5Fault.find(in: String(decoding: text, as: UTF8.self))
    precondition(fault == nil, "the decoder takes what the scanner does not: \(fault!)")
    return document
  } catch {
    precondition(error.description.utf8.starts(with: "node.json5: ".utf8))
    return nil
  }
}

/// An error has no 32 hexadecimal digits in a row, as a code and a secret have.
private func checkIsSilent(_ error: String) {
  var digits = 0
  for character in error.utf8 {
    let isDigit = 0x30...0x39 ~= character || 0x61...0x66 ~= character | 0x20
    digits = isDigit ? digits + 1 : 0
    precondition(digits < 2 * PairingLine.codeLength, "an error has a secret")
  }
}
