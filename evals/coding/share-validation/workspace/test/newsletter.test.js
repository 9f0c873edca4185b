import assert from "node:assert/strict";
import test from "node:test";
import { contactMessage } from "../src/contact.js";
import { importAddresses } from "../src/import.js";
import { subscribe } from "../src/subscribe.js";

test("subscribes", () => {
  assert.deepEqual(subscribe([], " post@example.com "), ["post@example.com"]);
  assert.throws(() => subscribe([], "post"), /cannot subscribe: post is not an e-mail address/);
});

test("imports", () => {
  assert.deepEqual(importAddresses("a@example.com\n\nwrong\n"), { valid: ["a@example.com"], invalid: ["wrong"] });
});

test("makes a message", () => {
  assert.equal(contactMessage({ from: "a@example.com", text: "Hello" }).subject, "no subject");
  assert.throws(() => contactMessage({ from: "a", text: "" }), /the sender needs a valid e-mail address/);
});
