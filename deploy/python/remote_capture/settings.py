"""Changes of settings, from keywords."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from . import messages

PATIENCE_S = 10.0  # how long `set(wait=True)` waits for modes that do their work


class Change:
    """What became of a change. `settings` are a `messages.CameraSettings`, afterwards; `clamped` what was set differently from what was asked.

    `applied` is a `messages.AppliedChange` that names the first frame which has the change; None unless that was waited for.
    """

    __slots__ = ("number", "settings", "clamped", "streaming", "applied")

    def __init__(self, answer: Any) -> None:
        self.number: int = answer.change
        self.settings: messages.CameraSettings = answer.settings
        self.clamped = list(answer.clamped)
        self.streaming: bool = answer.streaming
        self.applied: messages.AppliedChange | None = None


def change_of(parts: Mapping[str, Any]) -> messages.SettingsChange:
    """A SettingsChange of `exposure={"duration": 1 / 100, "mode": "custom"}, zoom={"factor": 2}, controls={"brightness": 40}`.

    Raises ValueError for a name that no setting has, with those that there are.
    """
    change = messages.SettingsChange()
    for name, value in parts.items():
        if name == "controls":
            for control, literal in value.items():
                change.controls.add(name=control, literal=_literal(literal))
        else:
            _fill(change, name, value, name)
    if not change.ByteSize():
        raise ValueError("nothing to set")
    return change


def _fill(message: Any, name: str, value: Any, path: str) -> None:
    field = message.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise ValueError(f"there is no setting {path!r}; there are {', '.join(message.DESCRIPTOR.fields_by_name)}")
    if field.message_type is not None:
        part = getattr(message, name)
        part.SetInParent()
        if isinstance(value, Mapping):
            for inner, inner_value in value.items():
                _fill(part, inner, inner_value, f"{path}.{inner}")
        elif isinstance(value, (tuple, list)):
            fields = part.DESCRIPTOR.fields
            if len(value) != len(fields):
                raise ValueError(f"{path} takes {', '.join(field.name for field in fields)}, not {value!r}")
            for inner_field, inner_value in zip(fields, value):
                setattr(part, inner_field.name, inner_value)
        elif hasattr(value, "DESCRIPTOR"):
            part.CopyFrom(value)
        else:
            raise ValueError(f"{path} takes a dictionary of {', '.join(field.name for field in part.DESCRIPTOR.fields)}, not {value!r}")
    elif field.enum_type is not None and isinstance(value, str):
        setattr(message, name, _enum_number(field.enum_type, value, path))
    else:
        try:
            setattr(message, name, value)
        except TypeError:
            raise ValueError(f"{path} does not take {value!r}") from None


def _enum_number(enum: Any, word: str, path: str) -> int:
    """The value `FOCUS_MODE_AUTO` for "auto" or its whole name."""
    prefix = enum.values[0].name[: -len("UNSPECIFIED")]
    words = {value.name[len(prefix):].lower(): value.number for value in enum.values if value.number}
    key = word.lower()[len(prefix):] if word.upper().startswith(prefix) else word.lower()
    if key not in words:
        raise ValueError(f"{path} is one of {', '.join(words)}, not {word!r}")
    return int(words[key])


def _literal(value: Any) -> str:
    """A control's value as a person would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return ",".join(str(item) for item in value) if isinstance(value, (tuple, list)) else str(value)


def is_at_work(settings: Any, groups: Iterable[str]) -> bool:
    """Whether a mode, or a zoom, of these groups of settings has not come to rest yet."""
    parts = [getattr(settings, group) for group in groups if group in ("focus", "exposure", "white_balance", "zoom")]
    return any(getattr(part, "ramping", False) or getattr(part, "adjusting", False) for part in parts)
