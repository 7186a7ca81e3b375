# Calls the functions of a file through FastMCP in this process. Prints `answered` after the
# first call; then, unless told `first`, a line with the seconds of each round for: the middle call of
# a round, a call with 64 at once, and 1,000 pieces as progress messages.
import asyncio, runpy, statistics, sys, time
from fastmcp import Client, Context, FastMCP

served = runpy.run_path(sys.argv[1])
server = FastMCP("bench")
server.tool(served["add"])


@server.tool
async def pieces(count: int, context: Context) -> str:
    async for piece in served["pieces"](count):
        await context.report_progress(1, message=piece["content"])
    return "done"


async def add(client, number):
    start = time.perf_counter()
    answer = await client.call_tool("add", {"a": number, "b": 1})
    assert answer.data == {"sum": number + 1}, answer
    return time.perf_counter() - start


async def alone(client):
    return statistics.median([await add(client, number) for number in range(500)])


async def crowd(client):
    async def lane():
        for number in range(20):
            await add(client, number)

    start = time.perf_counter()
    await asyncio.gather(*(lane() for _ in range(64)))
    return (time.perf_counter() - start) / (64 * 20)


async def stream(client):
    heard = 0

    async def hear(progress, total, message):
        nonlocal heard
        heard += 1

    start = time.perf_counter()
    await client.call_tool("pieces", {"count": 1000}, progress_handler=hear)
    assert heard == 1000, heard
    return time.perf_counter() - start


async def main():
    async with Client(server) as client:
        await add(client, 1)
        print("answered", flush=True)
        if sys.argv[2:] == ["first"]:
            return
        for work in (alone, crowd, stream):
            times = [await work(client) for _ in range(5)]
            print(*times)


asyncio.run(main())
