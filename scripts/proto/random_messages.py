"""Swift source, for the tests, of a random value of every message."""

import naming
from messages import members


def random_source(out, descriptors, names):
    out.line("import CaptureWire")
    for file in descriptors.file:
        for enum in file.enum_type:
            out.line()
            out.line(f"extension {enum.name}: RandomValue {{}}")
        for message in file.message_type:
            for enum in message.enum_type:
                out.line()
                out.line(f"extension {message.name}.{enum.name}: RandomValue {{}}")
            message_source(out, message)
    out.line()
    with out.block("let everyMessage: [any RandomMessage.Type] = [", "]"):
        for file in descriptors.file:
            for message in file.message_type:
                out.line(f"{message.name}.self,")


def message_source(out, message):
    arguments = []
    for kind, index, member in members(message):
        if kind == "oneof":
            name = message.oneof_decl[index].name
            oneof_source(out, f"{message.name}.{naming.upper_camel(name)}", member)
            arguments.append(naming.lower_camel(name))
        elif not naming.is_payload(member):
            arguments.append(naming.lower_camel(member.name))
    out.line()
    with out.block(f"extension {message.name}: RandomMessage {{"):
        with out.block("static func random(from source: inout RandomSource) -> Self {"):
            if arguments:
                out.line(f"Self({', '.join(f'{name}: .random(from: &source)' for name in arguments)})")
            else:
                out.line("Self()")


def oneof_source(out, swift_name, cases):
    out.line()
    with out.block(f"extension {swift_name}: RandomValue {{"):
        with out.block("static func random(from source: inout RandomSource) -> Self {"):
            out.line(f"switch source.below({len(cases)}) {{")
            for position, (_, field) in enumerate(cases):
                label = "default" if position == len(cases) - 1 else f"case {position}"
                out.line(f"{label}: .{naming.lower_camel(field.name)}(.random(from: &source))")
            out.line("}")
