"""Compares the contract with its baseline.

    contract.py DESCRIPTOR_SET BASELINE                      fails on any difference
    contract.py --accept-additions DESCRIPTOR_SET BASELINE   adds what is new to the baseline; still refuses the rest

The baseline lists the contract's facts one a line: what a field's number, name and type are, an enum value's number, a
method's types. A fact that is gone was removed, renumbered, renamed or retyped, and breaks peers that were built before.
"""

import pathlib
import sys

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field


def facts(descriptors):
    """Every fact of the contract, sorted."""
    lines = set()
    for file in descriptors.file:
        for enum in file.enum_type:
            lines |= enum_facts(enum, file.package)
        for message in file.message_type:
            lines |= message_facts(message, file.package)
        for service in file.service:
            lines |= service_facts(service, file.package)
    return sorted(lines)


def enum_facts(enum, scope):
    return {f"value {scope}.{enum.name}.{value.name} = {value.number}" for value in enum.value}


def message_facts(message, scope):
    name = f"{scope}.{message.name}"
    lines = {f"message {name}"}
    for enum in message.enum_type:
        lines |= enum_facts(enum, name)
    for field in message.field:
        kind = field.type_name.lstrip(".") or Field.Type.Name(field.type).removeprefix("TYPE_").lower()
        repeated = "repeated " if field.label == Field.LABEL_REPEATED else ""
        choice = f" in {message.oneof_decl[field.oneof_index].name}" if field.HasField("oneof_index") else ""
        lines.add(f"field {name}.{field.name} = {field.number}: {repeated}{kind}{choice}")
    return lines


def service_facts(service, package):
    lines = set()
    for method in service.method:
        request = ("stream " if method.client_streaming else "") + method.input_type.lstrip(".")
        response = ("stream " if method.server_streaming else "") + method.output_type.lstrip(".")
        lines.add(f"method {package}.{service.name}/{method.name}: {request} -> {response}")
    return lines


def compare(baseline, current):
    """(facts that are gone, facts that are new)"""
    return sorted(set(baseline) - set(current)), sorted(set(current) - set(baseline))


def main(arguments):
    accept = arguments[:1] == ["--accept-additions"]
    descriptor_path, baseline_path = map(pathlib.Path, arguments[accept:])
    current = facts(descriptor_pb2.FileDescriptorSet.FromString(descriptor_path.read_bytes()))
    baseline = baseline_path.read_text().splitlines() if baseline_path.exists() else []
    gone, new = compare(baseline, current)
    for fact in gone:
        print(f"broken: {fact}", file=sys.stderr)
    for fact in new:
        print(f"new: {fact}", file=sys.stderr)
    if gone:
        print("proto/ breaks peers built from its baseline; keep the old and add beside it", file=sys.stderr)
        return 1
    if new and accept:
        baseline_path.write_text("\n".join(current) + "\n")
    elif new:
        print("proto/ has additions: take them with scripts/generate-proto --accept-additions", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
