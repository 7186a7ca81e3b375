# Transforms every schema with pydantic-ai's OpenAI strict transformer; prints seconds.
import copy, json, sys, time
try:
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
except ImportError:
    from pydantic_ai.models.openai import OpenAIJsonSchemaTransformer

schemas = json.load(open(sys.argv[1]))
best = 9e9
for _ in range(3):
    fresh = copy.deepcopy(schemas)
    start = time.perf_counter()
    for schema in fresh:
        OpenAIJsonSchemaTransformer(schema, strict=True).walk()
    best = min(best, time.perf_counter() - start)
print(best)
