// Events that the transcript shows as a line of text.

import { compact, money, plural } from './format.ts';
import { type KernelEvent, type NextTry, type DecodedEvent, decodeEvent } from './wire.ts';

export interface Notice {
  tone: 'plain' | 'warning' | 'error';
  text: string;
}

/** What a loop was. One without a tool is a number of turns. */
export function loopText(tool: string, times: number): string {
  return tool ? `${tool} was called ${times} times with the same result.` : `${times} turns in a row gave nothing new.`;
}

/**
 * The line for an event; null for events that are shown in another way or not at all. Every restart reports grants and tools
 * anew; that says nothing to the reader of a chat, and the run view lists those events by name.
 */
export function noticeOf(event: KernelEvent): Notice | null {
  const known = decodeEvent(event);
  return known === null ? null : (ofModels(known) ?? ofSession(known));
}

function ofModels(event: DecodedEvent): Notice | null {
  switch (event.name) {
    case 'model_failed': {
      const { class: kind, message, next } = event.data;
      return { tone: next === 'give_up' ? 'error' : 'warning', text: `Model error (${words(kind)}): ${message}. ${nextStep(next)}` };
    }
    case 'stepped_up':
      return { tone: 'plain', text: `${event.data.from} did not do well enough (${event.data.reason}). Continuing with ${event.data.to}.` };
    case 'ladder_exhausted':
      return { tone: 'warning', text: `${event.data.model}, the last model, did not do well enough either: ${event.data.reason}` };
    case 'output_cap_raised':
      return { tone: 'plain', text: 'The reply was cut off at the output limit. Retrying with a higher limit.' };
    case 'context_planned': {
      const { step, before, after } = event.data;
      return { tone: 'plain', text: `Context compacted (${words(step)}): ${compact(before)} → ${compact(after)} tokens.` };
    }
    case 'loop_seen':
      return { tone: 'warning', text: loopText(event.data.tool, event.data.times) };
    case 'limit_near':
      return { tone: 'warning', text: `Limit nearly reached (${words(event.data.limit)}): ${compact(event.data.left)} left.` };
    default:
      return null;
  }
}

function ofSession(event: DecodedEvent): Notice | null {
  switch (event.name) {
    case 'run_resumed':
      return { tone: 'plain', text: 'Resumed after a restart.' };
    case 'tool_flawed': {
      const { tool, usable, problems } = event.data;
      const effect = usable ? 'is only partly checked' : 'cannot be used';
      return { tone: 'warning', text: `Tool ${tool} ${effect}: ${problems.join('; ')}` };
    }
    case 'mode_changed':
      return { tone: 'plain', text: `Mode changed to ${event.data.mode}.` };
    case 'budget_changed':
      return { tone: 'plain', text: event.data.limit === null ? 'Budget removed.' : `Budget changed to ${money(event.data.limit)}.` };
    case 'hook_failed':
      return { tone: 'error', text: `Hook failed: ${event.data.reason}` };
    case 'marked': {
      const { untrusted, private: secret } = event.data.marks;
      const names = [untrusted ? 'untrusted content' : '', secret ? 'private data' : ''].filter((name) => name !== '');
      return names.length === 0 ? null : { tone: 'plain', text: `This run has read ${names.join(' and ')}.` };
    }
    case 'queued':
      return event.data.queue === 'steering'
        ? { tone: 'plain', text: `Queued: will be applied before the next step (${plural(event.data.waiting, 'message')}).` }
        : { tone: 'plain', text: `Queued for after this task (${plural(event.data.waiting, 'message')}).` };
    case 'queue_dropped': {
      const texts = event.data.prompts.map((prompt) => prompt.blocks.map((block) => ('text' in block ? block.text : '')).join(''));
      return { tone: 'warning', text: `Dropped when the run was stopped: ${texts.join(' · ')}` };
    }
    default:
      return null;
  }
}

function nextStep(next: NextTry): string {
  if (next === 'compact') return 'Retrying with a shorter context.';
  if (next === 'give_up') return 'Not retrying.';
  return 'retry' in next ? 'Retrying.' : `Continuing with ${next.fallback.model}.`;
}

/** A protocol name in words: `missing_grant` becomes `missing grant`. */
export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
