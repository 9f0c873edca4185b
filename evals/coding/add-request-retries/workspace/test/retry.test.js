import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "../src/client.js";

function setup(statuses, options) {
  const waits = [];
  let requests = 0;
  const transport = async () => ({ status: statuses[requests++] });
  const sleep = async (milliseconds) => waits.push(milliseconds);
  const client = createClient({ base: "https://api.example", transport, sleep, ...options });
  return { client, waits, requests: () => requests };
}

test("retries until a response is good", async () => {
  const { client, waits } = setup([503, 502, 200], { retries: 5, delay: 100 });
  assert.equal((await client.get("/")).status, 200);
  assert.deepEqual(waits, [100, 200]);
});

test("returns the last response when no retry is left", async () => {
  const { client, requests } = setup([503, 503, 504], { retries: 2 });
  assert.equal((await client.get("/")).status, 504);
  assert.equal(requests(), 3);
});

test("does not retry other responses", async () => {
  const { client, requests } = setup([404, 200], { retries: 2 });
  assert.equal((await client.get("/")).status, 404);
  assert.equal(requests(), 1);
});
