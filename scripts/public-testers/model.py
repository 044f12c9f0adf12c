"""A session of the public Python SDK with `larder mcp`, and one with the route /mcp."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

url, program = sys.argv[1:]


async def use(session):
    introduced = await session.initialize()
    assert introduced.server_info.name == "larder", introduced
    names = [tool.name for tool in (await session.list_tools()).tools]
    assert names == ["search", "search_stored", "list_questions", "ask_source", "get", "quota", "explain"], names

    async def text(name, arguments, is_error=False):
        result = await session.call_tool(name, arguments)
        assert result.is_error == is_error, result
        return [content.text for content in result.content]

    found = await text("search", {"q": "dragon", "source": ["dnd5e"], "limit": 3, "fields": ["title"]})
    assert found[0].startswith("3 results from dnd5e."), found
    # Ten at once.
    same = await asyncio.gather(*[text("search", {"q": "dragon", "source": ["dnd5e"], "limit": 3}) for _ in range(10)])
    assert len({result[1] for result in same}) == 1, same
    assert "aboleth" in (await text("ask_source", {"source": "dnd5e", "question": "monsters/aboleth"}))[1]
    assert "dnd5e: ready" in (await text("quota", {}))[0]
    assert "no argument named" in (await text("search", {"query": "dragon"}, is_error=True))[0]


async def main():
    async with stdio_client(StdioServerParameters(command=program, args=["mcp", "--url", url])) as streams:
        async with ClientSession(*streams) as session:
            await use(session)
    async with streamable_http_client(f"{url}/mcp") as streams:
        async with ClientSession(*streams[:2]) as session:
            await use(session)


asyncio.run(main())
