"""The calls of BFCL's ground truth, as lines of {"at", "tool", "parameters", "args"}.

Takes the folder in which the wheel of `bfcl-eval` was unpacked. A call has the first of the
values that are right for each argument and fit its type.
"""

import ast
import json
import pathlib
import sys

DATA = pathlib.Path(sys.argv[1]) / "bfcl_eval/data"

# The types of Python, Java and JavaScript that stand in its schemas, as JSON Schema has them.
TYPES = {
    "dict": "object", "HashMap": "object", "Hashtable": "object", "object": "object",
    "array": "array", "tuple": "array", "list": "array", "Array": "array", "ArrayList": "array",
    "Stack": "array", "Queue": "array", "Set": "array", "set": "array",
    "float": "number", "number": "number", "double": "number", "Double": "number", "Number": "number",
    "integer": "integer", "int": "integer", "long": "integer", "short": "integer", "byte": "integer",
    "Bigint": "integer", "BigInteger": "integer",
    "string": "string", "String": "string", "char": "string",
    "boolean": "boolean", "Boolean": "boolean", "bool": "boolean",
}


def schema(found):
    """A schema of BFCL as a JSON Schema; a type that JSON has not is left open."""
    if not isinstance(found, dict):
        return {}
    out = {}
    for key, value in found.items():
        if key == "type":
            known = TYPES.get(value) if isinstance(value, str) else None
            if known:
                out["type"] = known
        elif key == "properties" and isinstance(value, dict):
            out["properties"] = {name: schema(one) for name, one in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            out[key] = schema(value)
        elif key in ("required", "enum", "default", "description", "minimum", "maximum", "format"):
            out[key] = value
    if isinstance(out.get("required"), list):
        out["required"] = [name for name in out["required"] if name in out.get("properties", {})]
    else:
        out.pop("required", None)
    if not isinstance(out.get("enum", []), list):
        out.pop("enum")
    return out


def lines(path):
    for line in path.read_text().splitlines():
        if line.strip():
            yield json.loads(line)


def functions(entry):
    found = {one["name"]: schema(one["parameters"]) for one in entry.get("function", [])}
    for name in entry.get("involved_classes", []):
        found |= CLASSES.get(name, {})
    return found


def named(folder):
    files = {
        "GorillaFileSystem": "gorilla_file_system", "MathAPI": "math_api",
        "MessageAPI": "message_api", "TwitterAPI": "posting_api", "TicketAPI": "ticket_api",
        "TradingBot": "trading_bot", "TravelAPI": "travel_booking",
        "VehicleControlAPI": "vehicle_control",
    }
    for name, file in files.items():
        yield name, {one["name"]: schema(one["parameters"]) for one in lines(folder / f"{file}.json")}


CLASSES = dict(named(DATA / "multi_turn_func_doc"))


def choices(allowed):
    """The values that are right for an argument; an empty text means that it may be absent."""
    return [value for value in allowed if value != ""] if isinstance(allowed, list) else [allowed]


def plain(value):
    """Inside of objects, each value is a list of choices again."""
    if isinstance(value, dict):
        picked = {key: choices(one) for key, one in value.items()}
        return {key: plain(one[0]) for key, one in picked.items() if one}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


JSON = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float)}


def fits(rule, value):
    """Is the value of the type that the schema names, and one of those that it lists?"""
    kind = rule.get("type")
    if kind == "integer":
        right = isinstance(value, int) and not isinstance(value, bool)
    else:
        right = kind not in JSON or isinstance(value, JSON[kind])
        right = right and not (kind == "number" and isinstance(value, bool))
    return right and value in rule.get("enum", [value])


def of_truth(truth, known):
    """A call with the first of the right values that fits; one that may be absent is left out
    where none does."""
    for name, arguments in truth.items():
        args = {}
        for key, allowed in arguments.items():
            rule = known.get(name, {}).get("properties", {}).get(key, {})
            values = [plain(one) for one in choices(allowed)]
            fitting = [value for value in values if fits(rule, value)]
            if fitting:
                args[key] = fitting[0]
            elif values and "" not in allowed:
                args[key] = values[0]
        yield name, args


def of_text(text):
    call = ast.parse(text, mode="eval").body
    args = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    yield name, (args, [ast.literal_eval(place) for place in call.args])


def main():
    for answers in sorted((DATA / "possible_answer").glob("*.json")):
        questions = {entry["id"]: entry for entry in lines(DATA / answers.name)}
        for entry in lines(answers):
            known = functions(questions[entry["id"]])
            found = []
            for truth in entry["ground_truth"]:
                if isinstance(truth, dict):
                    found += of_truth(truth, known)
                for text in truth if isinstance(truth, list) else []:
                    for name, (args, places) in of_text(text):
                        names = list(known.get(name, {}).get("properties", {}))
                        found.append((name, dict(zip(names, places)) | args))
            for name, args in found:
                call = {"at": entry["id"], "tool": name, "parameters": known[name], "args": args}
                print(json.dumps(call))


main()
