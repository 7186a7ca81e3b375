"""Serializes Python values as JSON, or explains which value cannot be."""

import json
import math

DEPTH_MAX = 100
VALUES_MAX = 500_000
WHOLE_MAX = (1 << 64) - 1
WHOLE_MIN = -(1 << 63)

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


class NoJson(TypeError):
    """Says where the invalid value is, and what to do."""


def to_json(value, what="the result"):
    """A value as JSON text."""
    if value is None:
        return "null"
    if type(value) is str:
        return _encode(value)
    return _encode(to_plain(value, what))


def to_plain(value, what="the result"):
    """The value as dicts, lists, strings, numbers, booleans and None."""
    return _plain(value, what, (), 0, [VALUES_MAX])


def _plain(value, what, path, depth, left):
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is int:
        return _whole(value, what, path)
    if kind is float:
        return _number(value, what, path)
    if depth > DEPTH_MAX:
        raise _refusal(what, path[:3], f"is nested deeper than {DEPTH_MAX} levels")
    if isinstance(value, dict):
        _count(value, what, left)
        return {
            _key(key, what, path): _plain(held, what, (*path, key), depth + 1, left)
            for key, held in value.items()
        }
    if isinstance(value, (list, tuple, set, frozenset)) or kind.__name__ in VIEWS:
        _count(value, what, left)
        return [
            _plain(held, what, (*path, index), depth + 1, left) for index, held in enumerate(value)
        ]
    return _plain(_converted(value, what, path), what, path, depth + 1, left)


def _count(value, what, left):
    """Limits the size, because a value with many references to one object is small in memory only."""
    left[0] -= len(value)
    if left[0] < 0:
        raise NoJson(f"{what} holds more than {VALUES_MAX} values")


VIEWS = {"dict_keys", "dict_values", "dict_items", "deque"}


def _whole(value, what, path):
    if WHOLE_MIN <= value <= WHOLE_MAX:
        return value
    raise _refusal(what, path, "is an integer beyond 64 bits; use str(value)")


def _number(value, what, path):
    if math.isfinite(value):
        return value
    name = "NaN" if value != value else "infinite"
    raise _refusal(what, path, f"is {name}, which JSON cannot represent")


def _key(key, what, path):
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (bool, int, float)) or key is None:
        return json.dumps(key)
    raise _refusal(what, path, f"has a key of type {_name(type(key))}; keys must be text")


def _converted(value, what, path):
    """Converts types with an obvious JSON form."""
    import dataclasses
    import datetime
    import decimal
    import enum
    import pathlib
    import uuid

    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath, decimal.Decimal)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            raise _refusal(what, path, "is bytes that are not UTF-8; use base64") from None
    for method in ("model_dump", "_asdict", "tolist", "dict"):
        convert = getattr(value, method, None)
        if callable(convert) and not isinstance(value, type):
            return convert()
    raise _refusal(what, path, f"is of type {_name(type(value))}, {_advice(value)}")


def _advice(value):
    import inspect

    if inspect.iscoroutine(value):
        value.close()
        return "which was never awaited"
    if isinstance(value, BaseException):
        return "an exception; use its text"
    return "which JSON cannot represent"


def _name(kind):
    return kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"


def _refusal(what, path, because):
    steps = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return NoJson(f"{what} at {steps} {because}" if steps else f"{what} {because}")
