# The least a build could do, in the language many such builds are written in.
import sys, os, json, hashlib, time
start = time.perf_counter()
tools = []
for name in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], name)
    if not os.path.isdir(folder): continue
    read = lambda file: open(os.path.join(folder, file), encoding="utf-8").read()
    schema, summary, doc, handler = json.loads(read("schema.json")), read("doc_summary.md"), read("doc.md"), read("handler.js")
    assert all("## " + s in doc for s in ["Summary", "Preconditions", "Postconditions", "Invariants", "Failure Modes", "Examples", "Common Mistakes"])
    digest = hashlib.sha256((json.dumps(schema, sort_keys=True) + summary + doc + handler).encode()).hexdigest()
    tools.append({"schema": schema, "summary": summary, "documentation": doc, "digest": digest})
with open(os.path.join(sys.argv[1], "python.out"), "w") as out: json.dump(tools, out)
print(time.perf_counter() - start)
