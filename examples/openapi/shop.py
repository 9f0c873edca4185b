"""The API of a small shop, on this machine. It wants its key in the header X-Shop-Key."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KEY = "the-key-of-the-shop"
STOCK = {"lamp": 3, "chair": 12}


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.allowed() and self.found("/items"):
            below = int(parse_qs(urlsplit(self.path).query).get("below", ["1000000"])[0])
            self.answer(200, {item: count for item, count in STOCK.items() if count < below})

    def do_POST(self):
        item = urlsplit(self.path).path.split("/")[2]
        if self.allowed() and self.found(f"/items/{item}/orders") and item in STOCK:
            order = json.loads(self.rfile.read(int(self.headers["content-length"])))
            STOCK[item] += order["count"]
            self.answer(201, {"item": item, "stock": STOCK[item]})

    def allowed(self):
        if self.headers["x-shop-key"] != KEY:
            self.answer(401, {"error": "the key is missing or wrong"})
            return False
        return True

    def found(self, path):
        if urlsplit(self.path).path != path:
            self.answer(404, {"error": "not found"})
            return False
        return True

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop)
print(f"the shop listens on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
