// Events that are told to people in a line of their own.

import { compact, money, plural } from './format.ts';
import { type KernelEvent, type NextTry, type Told, nameOf, told } from './wire.ts';

export interface Notice {
  tone: 'plain' | 'warning' | 'error';
  text: string;
}

/** The line for an event; none for events that are drawn in another way. */
export function noticeOf(event: KernelEvent): Notice | null {
  if (nameOf(event) === 'grants_changed') return { tone: 'plain', text: 'The grants changed.' };
  const known = told(event);
  return known === null ? null : (ofModels(known) ?? ofHouse(known));
}

function ofModels(event: Told): Notice | null {
  switch (event.name) {
    case 'model_failed': {
      const { class: kind, message, next } = event.is;
      return { tone: next === 'give_up' ? 'error' : 'warning', text: `The model failed (${words(kind)}): ${message}. ${then(next)}` };
    }
    case 'stepped_up':
      return { tone: 'plain', text: `${event.is.from} fell short (${event.is.reason}); ${event.is.to} goes on.` };
    case 'ladder_exhausted':
      return { tone: 'warning', text: `${event.is.model}, the last model, fell short too: ${event.is.reason}` };
    case 'output_cap_raised':
      return { tone: 'plain', text: 'The reply was cut by its cap and is tried again.' };
    case 'context_planned': {
      const { step, before, after } = event.is;
      return { tone: 'plain', text: `The model's view was made smaller (${words(step)}): ${compact(before)} → ${compact(after)} tokens.` };
    }
    case 'loop_seen':
      return { tone: 'warning', text: `${event.is.tool} was called ${event.is.times} times with the same result.` };
    case 'limit_near':
      return { tone: 'warning', text: `A limit is near (${words(event.is.limit)}): ${compact(event.is.left)} left.` };
    default:
      return null;
  }
}

function ofHouse(event: Told): Notice | null {
  switch (event.name) {
    case 'run_resumed':
      return { tone: 'plain', text: `Taken up again by ${event.is.host}.` };
    case 'tools_changed':
      return { tone: 'plain', text: `The tools changed: there are ${event.is.tools} now.` };
    case 'tool_flawed': {
      const { tool, usable, problems } = event.is;
      const what = usable ? 'cannot be held to in full' : 'cannot be used';
      return { tone: 'warning', text: `${tool} ${what}: ${problems.join('; ')}` };
    }
    case 'mode_changed':
      return { tone: 'plain', text: `The mode is ${event.is.mode} now.` };
    case 'budget_changed':
      return { tone: 'plain', text: event.is.limit === null ? 'There is no budget any more.' : `The budget is ${money(event.is.limit)} now.` };
    case 'hook_failed':
      return { tone: 'error', text: `A hook failed: ${event.is.reason}` };
    case 'marked': {
      const { untrusted, private: secret } = event.is.marks;
      const names = [untrusted ? 'content from outside' : '', secret ? 'private data' : ''].filter((name) => name !== '');
      return names.length === 0 ? null : { tone: 'plain', text: `In this run there is now ${names.join(' and ')}.` };
    }
    case 'queued':
      return event.is.queue === 'steering'
        ? { tone: 'plain', text: `Heard; it enters before the next model call (${plural(event.is.waiting, 'message')} waiting).` }
        : { tone: 'plain', text: `Kept for when the run would stop (${plural(event.is.waiting, 'message')} waiting).` };
    case 'queue_dropped': {
      const said = event.is.prompts.map((prompt) => prompt.blocks.map((block) => ('text' in block ? block.text : '')).join(''));
      return { tone: 'warning', text: `Dropped by the cancel: ${said.join(' · ')}` };
    }
    default:
      return null;
  }
}

function then(next: NextTry): string {
  if (next === 'compact') return 'It is tried again with less.';
  if (next === 'give_up') return 'It is not tried again.';
  return 'retry' in next ? 'It is tried again.' : `${next.fallback.model} goes on.`;
}

/** A word of the protocol as people write it. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
