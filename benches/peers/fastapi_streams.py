# Conversations, their streams and keys out of memory with FastAPI; prints the port first.
import asyncio, json, socket, sys, time, uuid
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

TICKS, EVERY = int(sys.argv[1]), int(sys.argv[2]) / 1000
app = FastAPI()
readers: dict[str, set[asyncio.Queue]] = {}
running = set()


class Message(BaseModel):
    text: str


class Value(BaseModel):
    value: str


def stamp():
    return f"t={time.time_ns() // 1000};"


def tell(queues, kind, fields):
    event = f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
    for queue in queues:
        queue.put_nowait(event)


async def turn(conversation):
    for _ in range(TICKS):
        await asyncio.sleep(EVERY)
        fields = {"messageId": conversation, "delta": stamp()}
        tell(readers[conversation], "TEXT_MESSAGE_CONTENT", fields)


@app.post("/api/conversations", status_code=201)
async def begin():
    conversation = str(uuid.uuid4())
    readers[conversation] = set()
    return {"id": conversation}


@app.post("/api/conversations/{conversation}/messages", status_code=202)
async def say(conversation: str, message: Message):
    task = asyncio.create_task(turn(conversation))
    running.add(task)
    task.add_done_callback(running.discard)
    return {"turn": 1}


@app.get("/api/conversations/{conversation}/stream")
async def stream(conversation: str):
    queue = asyncio.Queue()
    readers[conversation].add(queue)

    async def events():
        yield ": here\n\n"
        while True:
            yield await queue.get()

    return StreamingResponse(events(), media_type="text/event-stream")


@app.put("/api/kv/{key}", status_code=204)
async def change(key: str, value: Value):
    fields = {"name": "kv_update", "value": {"key": key, "value": value.value}}
    tell((queue for queues in readers.values() for queue in queues), "CUSTOM", fields)


door = socket.create_server(("127.0.0.1", 0), backlog=2048)
print(door.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="error", access_log=False)
uvicorn.Server(config).run(sockets=[door])
