import assert from "node:assert/strict";
import test from "node:test";
import { withValue } from "../src/links.js";

test("keeps all filters", () => {
  assert.equal(withValue("/search?color=red&color=blue", "page", 2), "/search?color=red&color=blue&page=2");
});
