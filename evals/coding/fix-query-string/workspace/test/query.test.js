import assert from "node:assert/strict";
import test from "node:test";
import { formatQuery, parseQuery } from "../src/query.js";

test("reads plain pairs", () => {
  assert.deepEqual({ ...parseQuery("?sort=price&page=2") }, { sort: "price", page: "2" });
});

test("a plus sign is a space", () => {
  assert.equal(parseQuery("q=desk+lamp").q, "desk lamp");
  assert.equal(parseQuery("q=c%2B%2B").q, "c++");
});

test("a value may contain an equals sign", () => {
  assert.equal(parseQuery("filter=width=80").filter, "width=80");
});

test("writes arrays as several pairs", () => {
  assert.equal(formatQuery({ color: ["red", "blue"], page: 1 }), "color=red&color=blue&page=1");
});
