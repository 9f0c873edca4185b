import assert from "node:assert/strict";
import test from "node:test";
import { isEmail } from "../src/email.js";

test("accepts addresses", () => {
  assert.equal(isEmail("post@example.com"), true);
  assert.equal(isEmail("a.b+c@mail.example.ORG"), true);
});

test("refuses other texts", () => {
  for (const text of ["", "post", "post@example", "a b@example.com", "@example.com"]) assert.equal(isEmail(text), false, text);
  assert.equal(isEmail(`${"a".repeat(250)}@example.com`), false);
});
