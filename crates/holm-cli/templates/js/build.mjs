import { readFile, writeFile } from "node:fs/promises";

import { componentize } from "@bytecodealliance/componentize-js";

const { component } = await componentize(await readFile("NAME.js", "utf8"), {
  witPath: "wit/tool.wit",
  worldName: "described-tool",
  // A tool that only computes; take out what yours needs.
  disableFeatures: ["random", "stdio", "clocks", "http", "fetch-event"],
});
await writeFile("NAME.wasm", component);
