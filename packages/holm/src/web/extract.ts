// The contract skill `extract` as a tool: the model itself performs it, and the guards check the reply against the text.

import { extractContract } from '../guards.js';
import type { Tool } from '../tool.js';

/** The skill `extract`. Call this after the module is loaded. */
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
    // The kernel asks the model; the host never runs it.
    run: () => Promise.reject(new Error('the kernel runs skills, not the host')),
  };
}
