"""Holds messages of voice sessions against the official SDKs' types, unknown fields forbidden.

In: lines of {"wire": "realtime" | "live" | "gemini", "side": "client" | "server", "frame": {...}}.
Out: a table and what does not fit. Exit 0 if all fit, 1 if one does not.
"""

import json
import sys
import typing
from collections import Counter

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import is_typeddict

ERRORS_SHOWN = 3


def import_openai():
    """Imports the SDK with every Iterable read as a list, and closes its types."""
    real = typing.Iterable
    typing.Iterable = typing.List
    try:
        import openai.types.live.client_event_param  # noqa: F401
        import openai.types.live.server_event  # noqa: F401
        import openai.types.realtime.realtime_client_event_param  # noqa: F401
        import openai.types.realtime.realtime_server_event  # noqa: F401
    finally:
        typing.Iterable = real
    models = []
    for name, module in list(sys.modules.items()):
        if not name.startswith("openai.types"):
            continue
        for alias in ("Iterable", "SequenceNotStr"):
            if hasattr(module, alias):
                setattr(module, alias, typing.List)
        for value in list(vars(module).values()):
            if is_typeddict(value) and not hasattr(value, "__pydantic_config__"):
                value.__pydantic_config__ = ConfigDict(extra="forbid")
            if isinstance(value, type) and issubclass(value, BaseModel):
                models.append(value)
    for model in set(models):
        model.model_config["extra"] = "forbid"
    for model in set(models):
        model.model_rebuild(force=True)


def checkers():
    import_openai()
    from google.genai import types
    from openai.types.live.client_event_param import ClientEventParam
    from openai.types.live.server_event import ServerEvent
    from openai.types.realtime.realtime_client_event_param import RealtimeClientEventParam
    from openai.types.realtime.realtime_server_event import RealtimeServerEvent

    def gemini_client(frame):
        # The SDK adds this part to the setup itself, outside its own type.
        setup = frame.get("setup", {})
        if "realtimeInputConfig" in setup:
            setup = dict(setup)
            config = setup.pop("realtimeInputConfig")
            frame = {"setup": setup}
            types.RealtimeInputConfig.model_validate(config)
        types.LiveClientMessage.model_validate(frame)

    return {
        ("realtime", "client"): TypeAdapter(RealtimeClientEventParam).validate_python,
        ("realtime", "server"): TypeAdapter(RealtimeServerEvent).validate_python,
        ("live", "client"): TypeAdapter(ClientEventParam).validate_python,
        ("live", "server"): TypeAdapter(ServerEvent).validate_python,
        ("gemini", "client"): gemini_client,
        ("gemini", "server"): types.LiveServerMessage.model_validate,
    }


def explain(error):
    found = sorted(error.errors(), key=lambda item: -len(item["loc"]))
    lines = []
    for item in found[:ERRORS_SHOWN]:
        place = ".".join(str(step) for step in item["loc"])
        lines.append(f"    {place}: {item['msg']}")
    return lines


def main():
    check = checkers()
    good, bad, complaints = Counter(), Counter(), []
    for number, line in enumerate(sys.stdin, start=1):
        item = json.loads(line)
        key = (item["wire"], item["side"])
        try:
            check[key](item["frame"])
            good[key] += 1
        except ValidationError as error:
            bad[key] += 1
            text = json.dumps(item["frame"])[:300]
            complaints.append(f"line {number}, {key}: {text}")
            complaints.extend(explain(error))
    print(f"{'wire':<10}{'side':<8}{'fit':>6}{'do not':>8}")
    for key in check:
        print(f"{key[0]:<10}{key[1]:<8}{good[key]:>6}{bad[key]:>8}")
    print("\n".join(complaints))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
