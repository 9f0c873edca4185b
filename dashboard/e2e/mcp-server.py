"""An MCP server for the tests of the dashboard: tools whose results are drawn or are a picture, one that asks a person."""

import json
import sys

DRAWN = {
    "table": {"title": "Tides", "columns": ["port", "metres"], "rows": [["Brest", 6.1], ["<b>Cuxhaven</b>", 3.0]]},
    "chart": {"title": "Metres by port", "data": [{"name": "Brest", "value": 6.1}, {"name": "Cuxhaven", "value": 3}]},
    "diff_stats": {"additions": 3, "deletions": 1, "files": 2},
}
# A picture of one dot.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FIELDS = {
    "name": {"type": "string", "title": "Your name", "description": "As others call you."},
    "age": {"type": "integer", "title": "Age"},
    "boat": {"type": "string", "enum": ["ketch", "sloop"], "title": "Boat"},
    "swims": {"type": "boolean", "title": "You can swim"},
}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name, description):
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


def ask():
    """What a person says to a form, as text."""
    schema = {"type": "object", "properties": FIELDS, "required": ["name"]}
    say({"id": "form", "method": "elicitation/create", "params": {"message": "Who sails?", "requestedSchema": schema}})
    for line in sys.stdin:
        reply = json.loads(line)
        if reply.get("id") == "form":
            return json.dumps(reply.get("result") or reply.get("error"), sort_keys=True)
    sys.exit()


def call(params):
    if params["name"] == "draw":
        return {"content": [{"type": "text", "text": "Two ports."}], "structuredContent": DRAWN}
    if params["name"] == "picture":
        return {"content": [{"type": "text", "text": "A dot."}, {"type": "image", "data": DOT, "mimeType": "image/png"}]}
    return {"content": [{"type": "text", "text": ask()}]}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "harbour", "version": "1"}}
    if method == "tools/list":
        return {"tools": [tool("draw", "Draws the tides."), tool("ask", "Asks who sails."), tool("picture", "Shows a dot.")]}
    return call(params) if method == "tools/call" else None


for heard in sys.stdin:
    request = json.loads(heard)
    if "id" not in request or "method" not in request:
        continue
    result = answer(request["method"], request.get("params", {}))
    if result is None:
        say({"id": request["id"], "error": {"code": -32601, "message": "method not found"}})
    else:
        say({"id": request["id"], "result": result})
