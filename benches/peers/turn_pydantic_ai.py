# Makes turns with a tool through pydantic-ai: address, rounds, lanes, turns of a lane.
# Prints seconds per round of turns (one lane: the middle turn), then the most MB held.
import asyncio, re, statistics, sys, time
from pydantic_ai import Agent, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

address = sys.argv[1]
rounds, lanes, turns = map(int, sys.argv[2:5])


async def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


names = ["add_native", "add_script", "note_native", "wait_script"]
provider = OpenAIProvider(base_url=address, api_key="none")
agent = Agent(
    OpenAIChatModel("bench", provider=provider),
    system_prompt="You are brief.",
    tools=[Tool(add, name=name) for name in names],
)


async def turn():
    start = time.perf_counter()
    answer = await agent.run("What is the sum?")
    assert answer.output == "There it is.", answer
    return time.perf_counter() - start


async def lane():
    return [await turn() for _ in range(turns)]


async def main():
    await turn()
    for _ in range(rounds):
        start = time.perf_counter()
        times = await asyncio.gather(*(lane() for _ in range(lanes)))
        print(statistics.median(times[0]) if lanes == 1 else time.perf_counter() - start)
    # Not `ru_maxrss`: that one begins with what the parent held when it started us.
    status = open("/proc/self/status").read()
    print(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024)


asyncio.run(main())
