export { renderReport } from "./report.js";
export { parseRange } from "./range.js";
