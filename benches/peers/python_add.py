# What everybody serves: a function that adds, and one that streams.
async def add(a: int, b: int):
    return {"sum": a + b}


async def pieces(count: int):
    for _ in range(count):
        yield {"type": "assistant", "content": "a piece of text"}


TOOLS = [{"function": function, "schema": {"name": function.__name__}} for function in (add, pieces)]
