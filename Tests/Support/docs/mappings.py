"""Where messages become values: each in one file of Sources/CaptureWire/Mapping, both ways, in one spelling: `Message(value)`, `message.model`, and `try message.model(…)`
of a request, which may be wrong (`values` where a message has a field `model`). The node, the client library and their programs only call that.

Requests, and the messages of a stream, have the parameters of a call: who makes the call, and who serves it, put them together and take them apart. Their parts are mapped."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "Sources"
GENERATED, MAPPING = SOURCES / "CaptureWire" / "Generated", SOURCES / "CaptureWire" / "Mapping"
# Those who call, and whose types an unqualified name may mean there before it means a message.
CLIENT = "CaptureModel", "CaptureAccess", "CaptureSystem", "CaptureTLS", "CaptureTransport", "CaptureClient"
NODE = tuple(path.name for path in SOURCES.iterdir() if path.name not in ("CaptureWire", "CaptureClient", "capturectl"))
CALLERS = {"CaptureClient": CLIENT, "CaptureNode": NODE, "capture-node": NODE}
EXTENSION = re.compile(r"^extension ([^{\n]+)\{(?:([^\n]*)\}$|(.*?)^\})", re.M | re.S)
MAPS = re.compile(r"\binit\??\(_ |\b(?:var|func) (?:model|values)\b")
GIVES = re.compile(r"\bvar (?:model|values)\b")
TAKES = re.compile(r"\binit\??\(_ \w+: ((?:\w+\.)*\w+)")
MAKES = re.compile(r"(?<![\w.])(CaptureWire\.)?(\w+)\(\s*(\w+):")
NEWER_NODE = ROOT / "Tests" / "CaptureClientTests" / "NewerNodeTests.swift"
# Read by nobody in Swift, or only to be compared with a value that is known.
UNREAD_ENUMS = {"Encoding"}


def code(path):
    """A file without its comments."""
    return re.sub(r"//.*", "", path.read_text())


def contract():
    return "\n".join(code(path) for path in (ROOT / "proto" / "capture" / "v1").glob("*.proto") if path.stem not in ("envelope", "test"))


def messages():
    """The names of messages and enums, as Swift has them (`Job`, `JobEvent.Kind`), with those of their fields."""
    found, outer = {}, ""
    for path in GENERATED.glob("*.swift"):
        for indentation, kind, name in re.findall(r"^((?:  )?)public (struct|var) (\w+)", path.read_text(), re.M):
            if kind == "var":
                found[outer].add(name)
            else:
                outer = outer if indentation else name
                found[f"{outer}.{name}" if indentation else name] = set()
    return found


def parts():
    """The messages that are fields of others."""
    return set(re.findall(r"^\s*(?:repeated |optional )?(\w+) \w+ = \d+;", contract(), re.M))


def extensions(text):
    """The extended types, each with its extension."""
    for head, line, body in EXTENSION.findall(text):
        name = head.split(":")[0].split(" where ")[0].strip().strip("[]").removeprefix("CaptureWire.")
        yield name, "typealias Model" in line + body, line + body


def mapped(known):
    """The files that map a message, and whether it gives a value without being asked as a request."""
    files, gives = {}, set()
    for path in sorted(MAPPING.glob("*.swift")):
        for name, is_numbered, body in extensions(code(path)):
            if name in known and (is_numbered or MAPS.search(body)):
                files.setdefault(name, set()).add(path.name)
            if name in known and GIVES.search(body):
                gives.add(name)
    return files, gives


def meant(name, known, others):
    """The message that a name means where types of other modules go before; `None`: another type."""
    bare = name.removeprefix("CaptureWire.")
    return bare if bare in known and (bare != name or bare.split(".")[0] not in others) else None


def strays(text, known, others, whole):
    """What a caller's file maps itself. `whole`: messages that stand for a value, and are not a call's parameters."""
    for name, is_numbered, body in extensions(text):
        original = f"CaptureWire.{name}" if f"extension CaptureWire.{name}" in text else name
        if meant(original, known, others) and (is_numbered or MAPS.search(body)):
            yield name
    taken = [meant(name, known, others) for name in TAKES.findall(text)]
    made = [meant(module + name, known, others) for module, name, field in MAKES.findall(text) if field in known.get(name, ())]
    yield from (name for name in taken + made if name in whole)


def declared(module):
    return {name for path in (SOURCES / module).rglob("*.swift") for name in re.findall(r"^(?:\w+ )*(?:struct|class|enum|actor|protocol|typealias) (\w+)", path.read_text(), re.M)}


def misplaced():
    """A line for each message that is mapped in two files, or by a caller."""
    known = messages()
    files, gives = mapped(known)
    for name, places in sorted(files.items()):
        if len(places) > 1:
            yield f"{name} is mapped in {' and '.join(sorted(places))}: one file of Sources/CaptureWire/Mapping is to do it, both ways"
    for caller, modules in CALLERS.items():
        others = set().union(*map(declared, modules))
        for path in sorted((SOURCES / caller).rglob("*.swift")):
            for name in sorted(set(strays(code(path), known, others, parts() & set(known) | gives))):
                yield f"{path.relative_to(ROOT)} maps {name}, which is for Sources/CaptureWire/Mapping to do"


def answered_enums():
    """The enums in what calls answer, with the names of the fields that have them."""
    text = contract()
    bodies = dict(re.findall(r"^message (\w+) \{(.*?)^\}", text, re.M | re.S))
    enums = set(re.findall(r"\benum (\w+) \{", text))
    found, left = {}, re.findall(r"\breturns \((?:stream )?(\w+)\)", text)
    seen = set()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        body = bodies.get(name, "")
        for kind, field in re.findall(r"^\s*(?:repeated )?(\w+) (\w+) = \d+;", body, re.M):
            if kind in enums:
                # Enums within messages share names: Kind, State, Stage.
                found.setdefault(f"{name}.{kind}" if f"enum {kind}" in body else kind, set()).add(field)
            left.append(kind)
    return found


def untried_enums():
    """The enums of answers of which the test of a newer node has no value that nobody here knows."""
    tried = set(re.findall(r"(\w+): \[?\.init\(rawValue: 99", NEWER_NODE.read_text()))
    fields_tried = {re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), name) for name in tried}
    return sorted(enum for enum, fields in answered_enums().items() if enum not in UNREAD_ENUMS and not fields_tried & fields)


def selftest():
    known, others = {"Job": {"id"}, "JobState": (), "Size": {"width"}, "Pong": {"time"}}, {"Size"}
    wrong = (
        "extension Job {\n  init(_ job: A) {}\n}\n", "extension CaptureWire.Size {\n  var model: A { A() }\n}\n", "extension JobState: N { typealias Model = A }\n",
        "struct A {\n  init?(_ job: Job) {}\n}\n", "let a = Job(\n  id: 1)\n", "let a = CaptureWire.Size(width: 1)\n",
    )
    right = "extension Job {\n  var isOver: Bool { true }\n}\n", "let a = Size(width: 1)\nlet b = Job(a)\nlet c = Job(removed: a)\n", "init(_ size: Size)", "Pong(time: 1)", "extension Size {\n  var model: A { a }\n}\n"
    assert all(any(strays(text, known, others, {"Job", "Size"})) for text in wrong), wrong
    assert not any(any(strays(text, known, others, {"Job", "Size"})) for text in right), right
    assert {"Job", "JobEvent.Kind", "Grant"} <= set(messages()) and {"Job", "Grant", "Kind"} <= parts() and "JobList" not in parts()
    assert mapped(messages())[0]["Job"] == {"Job+Model.swift"}
