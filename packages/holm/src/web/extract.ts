// The contract skill `extract` as something that a model can call: the model itself carries it out, and the guards hold the reply to
// the text.

import { extractContract } from '../guards.js';
import type { Tool } from '../tool.js';

/** The skill `extract`. Ask for it once the module is loaded. */
export function extractTool(): Tool {
  const contract = extractContract();
  return {
    declaration: {
      name: contract.name,
      description: contract.description,
      schema: contract.input,
      level: 'none',
      kind: { skill: { contract } },
    },
    // The kernel asks the model; a host is never asked.
    run: () => Promise.reject(new Error('a skill is not run by the host')),
  };
}
