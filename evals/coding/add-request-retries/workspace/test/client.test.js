import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "../src/client.js";

test("requests a path", async () => {
  const transport = async (url) => ({ status: 200, url });
  const response = await createClient({ base: "https://api.example", transport }).get("/items");
  assert.equal(response.url, "https://api.example/items");
});

test("refuses an invalid timeout", () => {
  assert.throws(() => createClient({ base: "https://api.example", timeout: -1 }), TypeError);
});
