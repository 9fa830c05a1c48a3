"""The Python SDK against the real binary: lists every tool, writes, reads back. Exits 77 where the SDK is missing."""

import asyncio
import subprocess
import sys
import tempfile

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    sys.exit(77)


async def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "init"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        server = StdioServerParameters(command=binary, args=["mcp"], cwd=folder)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            assert tools and all(tool.output_schema if hasattr(tool, "output_schema") else tool.outputSchema for tool in tools)
            added = await session.call_tool("add_node", {"node_type": "goal", "title": "From Python 漢字"})
            number = structured(added)["id"]
            shown = await session.call_tool("show_node", {"node_id": number})
            assert structured(shown)["title"] == "From Python 漢字", shown
            refused = await session.call_tool("show_node", {"node_id": 4040})
            assert getattr(refused, "isError", None) or getattr(refused, "is_error", None), refused


def structured(result):
    return getattr(result, "structuredContent", None) or result.structured_content


asyncio.run(main(sys.argv[1]))
