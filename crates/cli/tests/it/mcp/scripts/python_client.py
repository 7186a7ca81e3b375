"""The official Python client against our server: list, call, progress, cancel, approval, prompts, resources."""

import asyncio
import sys

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

PROGRAM, PROJECT = sys.argv[1:3]


async def visit(mode):
    asked, steps = [], []

    async def ask(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async def report(progress, total, message):
        steps.append(message)

    server = StdioServerParameters(command=PROGRAM, args=["mcp", "--project", PROJECT])
    async with Client(stdio_client(server), mode=mode, elicitation_callback=ask) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["note"].annotations.destructive_hint is True, tools["note"]
        said = await client.call_tool("echo", {"text": mode})
        assert said.structured_content == {"said": mode}, said
        failed = await client.call_tool("fail", {})
        assert failed.is_error and "no such thing" in failed.content[0].text, failed
        await client.call_tool("steps", {}, progress_callback=report)
        assert set(steps) == {"one", "half", "two"}, steps
        noted = await client.call_tool("note", {"text": mode})
        assert noted.structured_content["n"] >= 1 and len(asked) == 1, (noted, asked)
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["greet"], prompts
        greeting = await client.get_prompt("greet", {"name": mode})
        assert greeting.messages[0].content.text == f"Greet {mode}.", greeting
        assert greeting.messages[1].content.resource.text == "Be kind.", greeting
        read = await client.read_resource("docs://rules")
        assert read.contents[0].text == "Be kind.", read
        started = asyncio.Event()

        async def begun(progress, total, message):
            started.set()

        waiting = asyncio.create_task(client.call_tool("wait", {}, progress_callback=begun))
        await started.wait()
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            pass
        again = await client.call_tool("echo", {"text": "after"})
        assert again.structured_content == {"said": "after"}, again


for era in ("auto", "legacy"):
    asyncio.run(visit(era))
print("ok")
