# Validates one typical call with jsonschema; prints seconds per call.
import json, sys, time
from jsonschema import Draft202012Validator, FormatChecker

schema = json.load(open(sys.argv[1]))[0]
validator = Draft202012Validator(schema, format_checker=FormatChecker())
call = {"query": "clock builder", "top_k": 3, "filters": {"type": "lab"}}
rounds, best = 5000, 9e9
for _ in range(3):
    start = time.perf_counter()
    for _ in range(rounds):
        assert validator.is_valid(call)
    best = min(best, (time.perf_counter() - start) / rounds)
print(best)
