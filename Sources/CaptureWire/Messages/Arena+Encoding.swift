internal import CCaptureProto
import Glibc

/// Writes fields of protobuf-c's structs into an arena without a budget.
extension Arena {
  private mutating func array<T>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
    allocate(count * MemoryLayout<T>.stride)!.bindMemory(to: type, capacity: count)
  }

  /// A string with a NUL marks the arena (``hasCutString``), since protobuf-c ends the string there.
  mutating func string(_ text: String) -> UnsafeMutablePointer<CChar> {
    let count = text.utf8.count
    let memory = array(CChar.self, count: count + 1)
    UnsafeMutableRawBufferPointer(start: memory, count: count).copyBytes(from: text.utf8)
    memory[count] = 0
    if memchr(memory, 0, count) != nil { hasCutString = true }
    return memory
  }

  mutating func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    let memory = array(UInt8.self, count: bytes.count)
    bytes.withUnsafeBytes { UnsafeMutableRawPointer(memory).copyMemory(from: $0) }
    return ProtobufCBinaryData(len: bytes.count, data: memory)
  }

  /// This is not inlined, since messages lie within others.
  @inline(never)
  mutating func message<M: CStructMessage>(_ message: M) -> UnsafeMutablePointer<M.CStruct> {
    let memory = array(M.CStruct.self, count: 1)
    message.write(to: memory, in: &self)
    return memory
  }

  mutating func messages<M: CStructMessage>(_ messages: [M])
    -> UnsafeMutablePointer<UnsafeMutablePointer<M.CStruct>?>
  {
    let pointers = array(UnsafeMutablePointer<M.CStruct>?.self, count: messages.count)
    for (index, element) in messages.enumerated() { pointers[index] = message(element) }
    return pointers
  }

  mutating func strings(_ strings: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let pointers = array(UnsafeMutablePointer<CChar>?.self, count: strings.count)
    for (index, element) in strings.enumerated() { pointers[index] = string(element) }
    return pointers
  }

  mutating func scalars<T: BitwiseCopyable>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = array(T.self, count: values.count)
    memory.initialize(from: values, count: values.count)
    return memory
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    copyMemory(from: base, byteCount: bytes.count)
  }
}
