import assert from "node:assert/strict";
import test from "node:test";
import { requestOptions } from "../src/request.js";

test("options of one request do not reach the next", () => {
  assert.equal(requestOptions({ timeout: 100 }).timeout, 100);
  assert.equal(requestOptions().timeout, 5000);
});

test("merges nested options", () => {
  assert.deepEqual(requestOptions({ headers: { "x-trace": "1" } }).headers, {
    accept: "application/json",
    "x-trace": "1",
  });
});

test("null replaces a default", () => {
  assert.equal(requestOptions({ retry: null }).retry, null);
});

test("an array replaces a default", () => {
  assert.deepEqual(requestOptions({ retry: { statuses: [500] } }).retry, { attempts: 3, statuses: [500] });
});
