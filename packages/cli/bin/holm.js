#!/usr/bin/env node
// Starts the native command of this package, and passes on arguments, streams, signals and the exit code unchanged. It downloads
// nothing.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const place = `${process.platform}-${process.arch}`;
const program =
  process.env.HOLM_BINARY ?? fileURLToPath(new URL(`../vendor/${place}/holm`, import.meta.url));

// The exit code of `holm` for a problem with the machine.
const FAILED = 1;

// Shells add the number of the signal that ended a program.
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

// The terminal sends Ctrl-C to both processes, and the command handles it. Signals to this process alone are forwarded. The handlers
// are installed first, because the command may run before the next line of this file does.
let child;
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));

child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`, "reinstall the package"));
child.on("exit", (code, signal) => {
  process.exit(signal === null ? code : BY_SIGNAL + (constants.signals[signal] ?? 0));
});
