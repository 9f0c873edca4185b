import { defaults } from "./defaults.js";
import { merge } from "./merge.js";

// Returns the options of one request.
export function requestOptions(options = {}) {
  return merge(defaults, options);
}
