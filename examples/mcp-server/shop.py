"""An MCP server with two tools, in Python: a shop's stock, and orders. The stock is a file beside this program."""

import json
from pathlib import Path

from mcp.server.mcpserver import MCPServer

STOCK = Path(__file__).with_name("stock.json")

server = MCPServer("shop")


@server.tool()
def stock(item: str) -> int:
    "Tells how many pieces of an item are in stock."
    return json.loads(STOCK.read_text()).get(item, 0)


@server.tool()
def order(item: str, count: int) -> str:
    "Orders pieces of an item."
    levels = json.loads(STOCK.read_text())
    levels[item] = levels.get(item, 0) + count
    STOCK.write_text(json.dumps(levels))
    return f"ordered {count} of {item}"


server.run("stdio")
