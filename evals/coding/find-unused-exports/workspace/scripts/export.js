// Writes a report as CSV: node scripts/export.js FILE
import { readFile } from "node:fs/promises";

const { formatCsvField } = await import("../src/format.js");
const rows = JSON.parse(await readFile(process.argv[2], "utf8"));
for (const row of rows) console.log([row.name, row.count].map(formatCsvField).join(","));
