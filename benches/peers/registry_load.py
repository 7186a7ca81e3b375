# Reading the same registry file with Python's own parser.
import sys, json, time
best = 9e9
for _ in range(5):
    start = time.perf_counter()
    json.load(open(sys.argv[1], encoding="utf-8"))
    best = min(best, time.perf_counter() - start)
print(best)
