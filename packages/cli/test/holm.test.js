// The wrapper, with small programs in the place of the command.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const wrapper = fileURLToPath(new URL("../bin/holm.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holm-cli-"));
after(() => rmSync(folder, { recursive: true }));

function program(script) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.sh`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { ...process.env, HOLM_BINARY: file };
}

test("arguments, streams and the exit code are passed on unchanged", () => {
  const env = program('printf "%s|" "$@"; cat; echo note >&2; exit 6');
  const ran = spawnSync(process.execPath, [wrapper, "run", "-p", "a b", ""], { env, input: "in", encoding: "utf8" });
  assert.deepEqual([ran.status, ran.stdout, ran.stderr], [6, "run|-p|a b||in", "note\n"]);
});

test("a signal gives the exit code that shells use", () => {
  const ran = spawnSync(process.execPath, [wrapper], { env: program("kill -TERM $$") });
  assert.equal(ran.status, 143);
});

test("a signal to the wrapper reaches the command, and its exit code is returned", async () => {
  const env = program('trap "exit 7" TERM; echo ready; while :; do sleep 0.1; done');
  const child = spawn(process.execPath, [wrapper], { env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGTERM");
  const code = await new Promise((resolve) => child.once("exit", resolve));
  assert.equal(code, 7);
});

test("a package without a binary says what to do", () => {
  const env = { ...process.env, HOLM_BINARY: join(folder, "none") };
  const ran = spawnSync(process.execPath, [wrapper], { env, encoding: "utf8" });
  assert.equal(ran.status, 1);
  assert.match(ran.stderr, /has no binary for .*\n {2}hint: build it from source/);
});
