"""Swift source that reads and writes the envelope's frequent kinds directly, without protobuf-c's structs (docs/adr/0014).

What is not written as usual, and fields that are repeated, are left to protobuf-c.
"""

import contextlib

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

import naming

# The messages of which a call's packets consist.
KINDS = ("Request", "Message", "Status", "Credit")

# By type: the wire's type, and how the reader reads it.
READERS = {
    Field.TYPE_STRING: (2, "reader.string()"),
    Field.TYPE_BYTES: (2, "[UInt8](reader.bytes())"),
    Field.TYPE_BOOL: (0, "reader.flag()"),
    Field.TYPE_UINT32: (0, "reader.number32()"),
    Field.TYPE_UINT64: (0, "reader.number()"),
}


def common_packets_source(out, file):
    messages = {message.name: message for message in file.message_type}
    cases = [field for field in messages["Envelope"].field if field.type_name.rpartition(".")[2] in KINDS]
    envelope_source(out, cases)
    for field in cases:
        message = messages[field.type_name.rpartition(".")[2]]
        out.line()
        with out.block(f"extension {message.name} {{"):
            reading_source(out, message)
            out.line()
            writing_source(out, message)


def tag(field):
    wire_type = 2 if field.type == Field.TYPE_MESSAGE else READERS[field.type][0]
    if field.number > 15:
        raise SystemExit(f"{field.name}: only numbers below 16 are read and written directly")
    return f"0x{field.number << 3 | wire_type:02X}"


def is_direct(field):
    return field.label != Field.LABEL_REPEATED and field.type in READERS


def envelope_source(out, cases):
    with out.block("extension Envelope {"):
        out.line("/// `nil`: another kind of packet, or one that is not written as usual. It may be legal all the same.")
        with out.block("init?(common bytes: UnsafeRawBufferPointer) {"):
            out.line("var reader = FieldReader(bytes)")
            out.line("guard reader.tag() == 0x08 else { return nil }")
            out.line("let callID = reader.number32()")
            out.line("let found: Kind?")
            out.line("switch reader.tag() {")
            for field in cases:
                kind = naming.lower_camel(field.name)
                name = field.type_name.rpartition(".")[2]
                out.line(f"case {tag(field)}: found = {name}(common: reader.bytes()).map {{ .{kind}($0) }}")
            out.line("default: return nil")
            out.line("}")
            out.line("guard let found, reader.isAtEnd, !reader.isUnusual else { return nil }")
            out.line("self.init(callID: callID, kind: found)")
        out.line()
        out.line("/// Gives `body` the encoded envelope behind `room` bytes for it to fill, in memory that is valid there. `nil`: not a")
        out.line("/// common packet.")
        with out.block("func withCommon<R>(room: Int, _ body: (UnsafeMutableRawBufferPointer) -> R) -> R? {"):
            out.line("switch kind {")
            for field in cases:
                kind = naming.lower_camel(field.name)
                out.line(f"case .{kind}(let value):")
                out.line("  return value.withFields { size, write in")
                out.line(f"    FieldWriter.packet(callID, {field.number}, size, room: room, write, body)")
                out.line("  }")
            out.line("default: return nil")
            out.line("}")


def reading_source(out, message):
    with out.block("fileprivate init?(common bytes: UnsafeRawBufferPointer) {"):
        out.line("var reader = FieldReader(bytes)")
        out.line("self.init()")
        with out.block("while let tag = reader.tag() {"):
            out.line("switch tag {")
            for field in filter(is_direct, message.field):
                out.line(f"case {tag(field)}: self.{naming.lower_camel(field.name)} = {READERS[field.type][1]}")
            out.line("default: return nil")
            out.line("}")
        out.line("if reader.isUnusual { return nil }")


def writing_source(out, message):
    out.line("/// Gives `take` the size of the encoded fields, and what writes them. `nil`: not all can be written so.")
    with out.block("fileprivate func withFields<R>(_ take: (Int, (inout FieldWriter) -> Void) -> R) -> R? {"):
        for field in message.field:
            if not is_direct(field):
                out.line(f"guard self.{naming.lower_camel(field.name)}.isEmpty else {{ return nil }}")
        strings = [naming.lower_camel(field.name) for field in message.field if is_direct(field) and field.type == Field.TYPE_STRING]
        for name in strings:
            out.line(f"var {name} = self.{name}")
        with contextlib.ExitStack() as blocks:
            for name in strings:
                blocks.enter_context(out.block(f"return {name}.withUTF8 {{ {name} -> R? in"))
                out.line("// protobuf-c's strings end there.")
                out.line(f"guard !{name}.contains(0) else {{ return nil }}")
            direct = list(filter(is_direct, message.field))
            for index, field in enumerate(direct):
                out.line(("let size = " if index == 0 else "  + ") + size(field))
            with out.block("return take(size) { writer in"):
                for field in direct:
                    out.line(writing(field))


def value(field):
    """Strings are there as UTF-8."""
    name = naming.lower_camel(field.name)
    return name if field.type == Field.TYPE_STRING else f"self.{name}"


def size(field):
    name = value(field)
    if field.type in (Field.TYPE_STRING, Field.TYPE_BYTES):
        return f"FieldWriter.size(bytes: {name}.count)"
    if field.type == Field.TYPE_BOOL:
        return f"FieldWriter.size(flag: {name})"
    return f"FieldWriter.size(number: UInt64({name}))"


def writing(field):
    name = value(field)
    if field.type == Field.TYPE_STRING:
        return f"writer.bytes({field.number}, UnsafeRawBufferPointer({name}))"
    if field.type == Field.TYPE_BYTES:
        return f"{name}.withUnsafeBytes {{ writer.bytes({field.number}, $0) }}"
    if field.type == Field.TYPE_BOOL:
        return f"writer.flag({field.number}, {name})"
    return f"writer.number({field.number}, UInt64({name}))"
