#!/usr/bin/env node
// Starts the native command that this package brings, with everything as it was given: arguments, streams, signals, and the exit
// code. Nothing is downloaded and nothing is changed on the way.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const place = `${process.platform}-${process.arch}`;
const program =
  process.env.HOLM_BINARY ?? fileURLToPath(new URL(`../vendor/${place}/holm`, import.meta.url));

// What `holm` says where something is wrong with this machine.
const FAILED = 1;

// A shell's way to say that a signal ended a program.
const BY_SIGNAL = 128;

function fail(message, hint) {
  process.stderr.write(`error: ${message}\n  hint: ${hint}\n`);
  process.exit(FAILED);
}

if (!existsSync(program)) {
  fail(
    `this package has no binary for ${place}`,
    "build it from source: cargo install --locked --path crates/holm-cli",
  );
}

// The terminal sends Ctrl-C to both; the command decides what becomes of it. What is sent to this process alone is handed on.
// The handlers come first: the command may be at work before the next line of this file is.
let child;
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`, "install the package again"));
child.on("exit", (code, signal) => {
  process.exit(signal === null ? code : BY_SIGNAL + (constants.signals[signal] ?? 0));
});
