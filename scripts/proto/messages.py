"""Swift source of messages and enums."""

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

import naming

SCALARS = {
    Field.TYPE_BOOL: ("Bool", "false"),
    Field.TYPE_DOUBLE: ("Double", "0"),
    Field.TYPE_FLOAT: ("Float", "0"),
    Field.TYPE_UINT32: ("UInt32", "0"),
    Field.TYPE_FIXED32: ("UInt32", "0"),
    Field.TYPE_UINT64: ("UInt64", "0"),
    Field.TYPE_FIXED64: ("UInt64", "0"),
    Field.TYPE_INT32: ("Int32", "0"),
    Field.TYPE_SINT32: ("Int32", "0"),
    Field.TYPE_SFIXED32: ("Int32", "0"),
    Field.TYPE_INT64: ("Int64", "0"),
    Field.TYPE_SINT64: ("Int64", "0"),
    Field.TYPE_SFIXED64: ("Int64", "0"),
    Field.TYPE_STRING: ("String", '""'),
    Field.TYPE_BYTES: ("[UInt8]", "[]"),
}


def element_type(field, names):
    if field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM):
        return names.swift(field.type_name)
    return SCALARS[field.type][0]


def declaration(field, names):
    """The Swift type of a field outside a oneof, and its default."""
    element = element_type(field, names)
    if naming.is_payload(field):
        return "Payload?", "nil"
    if field.label == Field.LABEL_REPEATED:
        return f"[{element}]", "[]"
    if field.type == Field.TYPE_MESSAGE:
        return f"{element}?", "nil"
    if field.type == Field.TYPE_ENUM:
        return element, f"{element}(rawValue: 0)"
    return SCALARS[field.type]


def enum_source(out, enum, path, comments):
    out.doc(comments.get(path))
    with out.block(f"public struct {enum.name}: RawRepresentable, Hashable, Sendable {{"):
        out.line("public var rawValue: UInt32")
        out.line("public init(rawValue: UInt32) { self.rawValue = rawValue }")
        for index, value in enumerate(enum.value):
            out.line()
            out.doc(comments.get(path + (2, index)))
            out.line(f"public static let {naming.enum_case(enum.name, value.name)} = Self(rawValue: {value.number})")


def members(message):
    """Fields in order, each oneof once at its first field: ('field', index, field) or ('oneof', index, [(index, field)])."""
    result, seen = [], set()
    for index, field in enumerate(message.field):
        if not field.HasField("oneof_index"):
            result.append(("field", index, field))
        elif field.oneof_index not in seen:
            seen.add(field.oneof_index)
            cases = [(i, f) for i, f in enumerate(message.field)
                     if f.HasField("oneof_index") and f.oneof_index == field.oneof_index]
            result.append(("oneof", field.oneof_index, cases))
    return result


def message_source(out, message, full_name, path, comments, names):
    conformances = ["WireMessage"]
    if any(naming.is_payload(field) for field in message.field):
        conformances = ["PayloadMessage"]
        if any(f.name == "discarded" and f.type == Field.TYPE_UINT64 for f in message.field):
            conformances.append("LatestMessage")
    properties = []
    out.doc(comments.get(path))
    with out.block(f"public struct {message.name}: {', '.join(conformances)} {{"):
        out.line(f'public static let protoName = "{full_name}"')
        for index, enum in enumerate(message.enum_type):
            out.line()
            enum_source(out, enum, path + (4, index), comments)
        for kind, index, member in members(message):
            out.line()
            if kind == "oneof":
                name = message.oneof_decl[index].name
                oneof_source(out, name, member, path, comments, names)
                out.line()
                out.doc(comments.get(path + (8, index)))
                properties.append((naming.lower_camel(name), f"{naming.upper_camel(name)}?", "nil"))
            else:
                out.doc(comments.get(path + (2, index)))
                properties.append((naming.lower_camel(member.name), *declaration(member, names)))
            name, type_name, default = properties[-1]
            out.line(f"public var {name}: {type_name} = {default}")
        out.line()
        out.line("public init() {}")
        if properties:
            parameters = ", ".join(f"{name}: {type_name} = {default}" for name, type_name, default in properties)
            out.line()
            with out.block(f"public init({parameters}) {{"):
                for name, _, _ in properties:
                    out.line(f"self.{name} = {name}")
    out.line()
    conversion_source(out, message, full_name, names)


def oneof_source(out, name, cases, path, comments, names):
    with out.block(f"public enum {naming.upper_camel(name)}: Sendable, Equatable {{"):
        for index, field in cases:
            out.doc(comments.get(path + (2, index)))
            out.line(f"case {naming.lower_camel(field.name)}({element_type(field, names)})")


def conversion_source(out, message, full_name, names):
    c_type, c_function = naming.c_type(full_name), naming.c_function(full_name)
    with out.block(f"extension {message.name}: CStructMessage {{"):
        with out.block(
                "static func unpack(_ bytes: UnsafeRawBufferPointer, _ allocator: UnsafeMutablePointer<ProtobufCAllocator>)"
                f" -> UnsafeMutablePointer<{c_type}>? {{"):
            out.line(f"{c_function}__unpack(allocator, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))")
        out.line()
        with out.block(f"init(reading c: UnsafePointer<{c_type}>) throws(WireError) {{"):
            out.line("self.init()")
            for kind, index, member in members(message):
                if kind == "oneof":
                    read_oneof(out, full_name, message.oneof_decl[index].name, member, names)
                else:
                    read_field(out, member, names)
        out.line()
        with out.block(f"func write(to c: UnsafeMutablePointer<{c_type}>, in arena: inout Arena) {{"):
            out.line(f"{c_function}__init(c)")
            for kind, index, member in members(message):
                if kind == "oneof":
                    write_oneof(out, full_name, message.oneof_decl[index].name, member)
                else:
                    write_field(out, member)


def decoded(field, source, names):
    """An expression that reads one value, not repeated."""
    if field.type == Field.TYPE_STRING:
        return f'try CField.string({source}, "{field.name}", of: Self.self)'
    if field.type == Field.TYPE_BYTES:
        return f"CField.bytes({source})"
    if field.type == Field.TYPE_BOOL:
        return f"{source} != 0"
    if field.type == Field.TYPE_ENUM:
        return f"{names.swift(field.type_name)}(rawValue: {source}.rawValue)"
    if field.type == Field.TYPE_MESSAGE:
        return f"try {names.swift(field.type_name)}(reading: {source})"
    return source


def read_field(out, field, names):
    swift_name, c_name = naming.lower_camel(field.name), field.name.lower()
    source = f"c.pointee.{c_name}"
    if naming.is_payload(field):
        out.line(f"{swift_name} = CField.payload({source})")
    elif field.label == Field.LABEL_REPEATED:
        count = f"c.pointee.n_{c_name}"
        if field.type == Field.TYPE_STRING:
            out.line(f'{swift_name} = try CField.strings({source}, count: {count}, "{field.name}", of: Self.self)')
        elif field.type == Field.TYPE_MESSAGE:
            out.line(f"{swift_name} = try CField.messages({source}, count: {count})")
        elif field.type == Field.TYPE_ENUM:
            out.line(f"{swift_name} = CField.scalars({source}, count: {count}).map {{ {decoded(field, '$0', names)} }}")
        elif field.type in (Field.TYPE_BOOL, Field.TYPE_BYTES):
            raise SystemExit(f"{field.name}: repeated fields of this type are not supported")
        else:
            out.line(f"{swift_name} = CField.scalars({source}, count: {count})")
    elif field.type == Field.TYPE_MESSAGE:
        out.line(f"if let field = {source} {{ {swift_name} = {decoded(field, 'field', names)} }}")
    else:
        out.line(f"{swift_name} = {decoded(field, source, names)}")


def oneof_case(full_name, oneof_name, field):
    return f"{naming.c_constant(full_name)}__{oneof_name.upper()}_{field.name.upper()}"


def read_oneof(out, full_name, oneof_name, cases, names):
    property_name = naming.lower_camel(oneof_name)
    out.line(f"switch c.pointee.{oneof_name}_case {{")
    for _, field in cases:
        value = decoded(field, f"c.pointee.{field.name.lower()}", names)
        out.line(f"case {oneof_case(full_name, oneof_name, field)}: "
                 f"{property_name} = .{naming.lower_camel(field.name)}({value})")
    out.line("default: break")
    out.line("}")


def encoded(field, value):
    """An expression for one value in its C struct, not repeated."""
    if field.type == Field.TYPE_STRING:
        return f"arena.string({value})"
    if field.type == Field.TYPE_BYTES:
        return f"arena.bytes({value})"
    if field.type == Field.TYPE_BOOL:
        return f"{value} ? 1 : 0"
    if field.type == Field.TYPE_ENUM:
        return f".init(rawValue: {value}.rawValue)"
    if field.type == Field.TYPE_MESSAGE:
        return f"arena.message({value})"
    return value


def write_field(out, field):
    swift_name, c_name = naming.lower_camel(field.name), field.name.lower()
    target = f"c.pointee.{c_name}"
    if naming.is_payload(field):
        return
    if field.label == Field.LABEL_REPEATED:
        function = {Field.TYPE_STRING: "strings", Field.TYPE_MESSAGE: "messages"}.get(field.type, "scalars")
        with out.block(f"if !{swift_name}.isEmpty {{"):
            out.line(f"c.pointee.n_{c_name} = {swift_name}.count")
            values = swift_name
            if field.type == Field.TYPE_ENUM:
                values += f".map {{ {encoded(field, '$0')} }}"
            out.line(f"{target} = arena.{function}({values})")
    elif field.type in (Field.TYPE_STRING, Field.TYPE_BYTES):
        out.line(f"if !{swift_name}.isEmpty {{ {target} = {encoded(field, swift_name)} }}")
    elif field.type == Field.TYPE_MESSAGE:
        out.line(f"if let field = {swift_name} {{ {target} = {encoded(field, 'field')} }}")
    else:
        out.line(f"{target} = {encoded(field, swift_name)}")


def write_oneof(out, full_name, oneof_name, cases):
    out.line(f"switch {naming.lower_camel(oneof_name)} {{")
    for _, field in cases:
        out.line(f"case .{naming.lower_camel(field.name)}(let value):")
        out.line(f"  c.pointee.{oneof_name}_case = {oneof_case(full_name, oneof_name, field)}")
        out.line(f"  c.pointee.{field.name.lower()} = {encoded(field, 'value')}")
    out.line("case nil: break")
    out.line("}")
