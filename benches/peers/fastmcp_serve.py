# Serves one trivial tool with FastMCP over HTTP on this machine; prints the port first.
import socket

import uvicorn
from fastmcp import FastMCP

server = FastMCP("add")


@server.tool
def add(a: int, b: int) -> dict:
    return {"sum": a + b}


door = socket.create_server(("127.0.0.1", 0))
print(door.getsockname()[1], flush=True)
app = server.http_app(path="/mcp", stateless_http=True, json_response=True)
config = uvicorn.Config(app, log_level="error", access_log=False)
uvicorn.Server(config).run(sockets=[door])
