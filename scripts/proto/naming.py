"""How names of the contract are spelled in Swift and in protobuf-c's C."""

import re

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

SWIFT_KEYWORDS = {
    "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum", "extension", "false",
    "for", "func", "guard", "if", "import", "in", "init", "internal", "is", "let", "nil", "operator", "private",
    "protocol", "public", "repeat", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "var", "where", "while",
}

# The number and name that make a bytes field the message's payload.
PAYLOAD_NUMBER, PAYLOAD_NAME = 15, "data"


def is_payload(field):
    return field.number == PAYLOAD_NUMBER and field.name == PAYLOAD_NAME and field.type == Field.TYPE_BYTES


def upper_camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def lower_camel(name):
    """snake_case to lowerCamelCase; a trailing `_id` becomes `ID`."""
    parts = name.lower().split("_")
    rest = ["ID" if index == len(parts) - 1 and part == "id" else part[:1].upper() + part[1:]
            for index, part in list(enumerate(parts))[1:]]
    return escaped(parts[0] + "".join(rest))


def escaped(name):
    return f"`{name}`" if name in SWIFT_KEYWORDS else name


def enum_case(enum_name, value_name):
    """The value's name without its enum's, unless a digit would then begin it."""
    prefix = camel_to_lower(enum_name).upper() + "_"
    short = value_name.removeprefix(prefix)
    return lower_camel(value_name if short[:1].isdigit() else short)


def camel_to_lower(name):
    """protobuf-c's rule: an underscore before each capital that follows a small letter."""
    return re.sub(r"(?<=[^A-Z])([A-Z])", r"_\1", name).lower()


def c_type(full_name):
    return "__".join(upper_camel(part) for part in full_name.split("."))


def c_function(full_name):
    return "__".join(camel_to_lower(part) for part in full_name.split("."))


def c_constant(full_name):
    return c_function(full_name).upper()


class Names:
    """Looks up Swift names of types by their full protobuf name (".capture.v1.PhotoEvent.Stage")."""

    def __init__(self, descriptors):
        self._swift = {}
        self.payload_messages = set()
        self.empty_messages = set()
        for file in descriptors.file:
            for enum in file.enum_type:
                self._swift[f".{file.package}.{enum.name}"] = enum.name
            for message in file.message_type:
                full = f".{file.package}.{message.name}"
                self._swift[full] = message.name
                if message.nested_type:
                    raise SystemExit(f"{full}: nested messages are not supported")
                if not message.field:
                    self.empty_messages.add(full)
                if any(is_payload(field) for field in message.field):
                    self.payload_messages.add(full)
                for enum in message.enum_type:
                    self._swift[f"{full}.{enum.name}"] = f"{message.name}.{enum.name}"

    def swift(self, full_name):
        return self._swift[full_name]
