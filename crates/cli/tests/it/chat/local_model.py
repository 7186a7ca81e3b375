"""llama.cpp's own server with a small model: prints its address, ends with standard input."""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 16384
params.n_parallel = 1
params.use_jinja = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.sampling.temp = 0.0
params.sampling.seed = 7
# Without it so small a model repeats itself without an end.
params.sampling.penalty_repeat = 1.3
params.sampling.penalty_last_n = 256
params.hostname = "127.0.0.1"
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
