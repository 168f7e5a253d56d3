"""Controls of any type: values at random, how capturectl is told them, and what v4l2-ctl shows then."""

import string
import struct

# A control that has one of these cannot be set now, has no value, or changes by itself.
UNFIT = {"read-only", "write-only", "inactive", "disabled", "in use", "volatile"}


def fit(control, camera):
    """By name, those that can be set now and stay as they are."""
    listed = control.json("controls", camera)["controls"]
    return {item["name"]: item for item in listed if item["type"] not in ("button", "class") and not UNFIT & set(item["flags"])}


def read(machine, path, controls):
    """What v4l2-ctl reads of controls: a number, a text, or a list of an array's."""
    # For several at once it shows only plain numbers.
    plain = [name for name, item in controls.items() if not has_payload(item)]
    asked = [",".join(plain), *(name for name in controls if name not in plain)]
    said = machine.guest(f"for names in {' '.join(asked)}; do v4l2-ctl -d {path} --get-ctrl $names; done")
    lines = {name: [] for name in controls}
    for line in said.splitlines():
        name, text = line.split(":", 1)
        lines[name.split("[")[0]].append(text.strip())
    return {name: parsed(item, lines[name]) for name, item in controls.items()}


def parsed(item, lines):
    if item["type"] == "string":
        return lines[0].strip("'")
    if item["type"] == "compound":
        return lines[0]
    if is_array(item):
        # For a dynamic array it shows as many elements as there may be.
        return [int(number) for number in ",".join(lines).split(",")][:item["elements"]]
    number = int(lines[0].split()[0], 0)
    return number & 0xFFFFFFFF if item["type"] == "bitmask" else number


def has_payload(item):
    return is_array(item) or item["type"] in ("string", "compound")


def is_array(item):
    return bool(item["dimensions"]) or item["elements"] > 1


def chosen(numbers, item):
    """One of the control's values, as v4l2-ctl reads it."""
    least, step = item["minimum"], max(item["step"], 1)

    def number():
        return least + step * numbers.randint(0, (item["maximum"] - least) // step)
    if item["type"] in ("menu", "integer menu"):
        return numbers.choice(item["menu"])["index"]
    if item["type"] == "string":
        return "".join(numbers.choices(string.ascii_letters, k=number()))
    if item["type"] == "bitmask":
        return numbers.getrandbits(32) & item["maximum"]
    if item["type"] == "compound":  # vivid's one, a v4l2_area
        return f"{numbers.randint(1, 4000)}x{numbers.randint(1, 4000)}"
    return [number() for _ in range(item["elements"])] if is_array(item) else number()


def literal(item, value):
    """As capturectl is told it."""
    if item["type"] == "compound":
        return struct.pack("<II", *map(int, value.split("x"))).hex()
    return ",".join(map(str, value)) if is_array(item) else str(value)


def changed_at_random(machine, control, camera, numbers, times):
    """Sets any of a camera's controls to any of its values, so often; each time v4l2-ctl reads it and all plain numbers, at the end all
    there is. Then all are as before."""
    path = control.device(camera)["path"]
    first = now = fit(control, camera)
    before = read(machine, path, first)
    expected, changed = dict(before), set()

    def check(names):
        seen = read(machine, path, {name: now[name] for name in names})
        # What a mode has let go of shows what it was while nobody looked.
        wrong = {name: (seen[name], expected[name]) for name in seen.keys() & expected.keys() if seen[name] != expected[name]}
        assert not wrong, (camera, changed, wrong)
        expected.update(seen)
    for _ in range(times):
        # Each once before any of them twice.
        name = numbers.choice(sorted(now.keys() - changed) or sorted(now))
        changed.add(name)
        expected[name] = chosen(numbers, now[name])
        control("set", camera, f"{name}={literal(now[name], expected[name])}")
        # A mode takes over what it owns.
        now = fit(control, camera)
        for gone in expected.keys() - now.keys():
            del expected[gone]
        assert name in now, (camera, name)
        check([each for each in now if each == name or not has_payload(now[each])])
    check(now)
    print(f"# {camera}: {times} changes, of {len(changed)} of {len(first)} controls", flush=True)
    for name in sorted(changed & first.keys()):
        if name in fit(control, camera):
            control("set", camera, f"{name}={literal(first[name], before[name])}")
