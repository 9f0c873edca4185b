import assert from "node:assert/strict";
import test from "node:test";
import { readSession, writeSession } from "../src/session.js";

const HOUR = 60 * 60 * 1000;

test("reads a session", () => {
  assert.deepEqual(readSession(writeSession("u-1", "editor", 1000), 1500), { user: "u-1", role: "editor", age: 500 });
});

test("reads a cookie of version 1", () => {
  assert.equal(readSession("u-1|1000", 1500).role, "guest");
});

test("refuses a session of the maximum age", () => {
  assert.equal(readSession(writeSession("u-1", "editor", 0), 8 * HOUR), null);
});

test("refuses a session without a time", () => {
  assert.equal(readSession("u-1", 1000), null);
});
