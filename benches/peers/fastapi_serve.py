# Serves the functions of a file with FastAPI on this machine; prints the port first.
import runpy, socket, sys
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

served = runpy.run_path(sys.argv[1])
app = FastAPI()


class Numbers(BaseModel):
    a: int
    b: int


class Count(BaseModel):
    count: int


@app.post("/add")
async def add(numbers: Numbers):
    return await served["add"](numbers.a, numbers.b)


@app.post("/pieces")
async def pieces(wanted: Count):
    texts = (piece["content"] async for piece in served["pieces"](wanted.count))
    return StreamingResponse(texts, media_type="text/plain")


door = socket.create_server(("127.0.0.1", 0))
print(door.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="error", access_log=False)
uvicorn.Server(config).run(sockets=[door])
