import assert from "node:assert/strict";
import test from "node:test";
import { daysBetween, previousRange } from "../src/range.js";

test("counts days", () => {
  assert.equal(daysBetween("2026-01-01", "2026-01-31"), 31);
});

test("finds the previous range", () => {
  assert.deepEqual(previousRange({ from: "2026-02-01", to: "2026-02-28" }), { from: "2026-01-04", to: "2026-01-31" });
});
