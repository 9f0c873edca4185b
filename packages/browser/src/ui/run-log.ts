// Shows the run as text. Everything goes through `textContent`, so that the output of models, tools and pages stays text.

import type { AgentEvent } from 'holm';
import type { Ending, Event, Message, Proposal, Verdict } from 'holm/kernel';

/** The most characters of a tool result that the page shows. */
const MAX_RESULT_CHARS = 2000;

/** The list of messages, calls and problems. */
export class RunLog {
  readonly #list: HTMLElement;
  readonly #cards = new Map<number, HTMLElement>();
  #streaming: { call: number; item: HTMLElement } | undefined;

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  /** Shows a transcript in place of the current content. */
  reset(transcript: Message[]): void {
    this.#list.replaceChildren();
    this.#cards.clear();
    this.#streaming = undefined;
    for (const message of transcript) this.#message(message);
  }

  /** Shows an event. */
  show(event: AgentEvent): void {
    if (event.type === 'delta') {
      if ('text' in event.delta) this.#stream(event.call, event.delta.text.text);
    } else if (event.type === 'ending') {
      this.#ending(event.ending);
    } else {
      this.#event(event.event);
    }
  }

  /** Shows a problem. */
  problem(text: string): void {
    this.#item('problem', text);
  }

  /** Asks the user about a call. Closing the page is not an answer. */
  ask(proposal: Proposal, signal: AbortSignal): Promise<Verdict> {
    const item = this.#item('approval', `Allow ${proposal.tool}?`);
    item.append(element('pre', proposal.arguments));
    if (proposal.missing.length > 0) item.append(element('p', `Not granted: ${proposal.missing.join(', ')}`));
    return new Promise((resolve) => {
      const answer = (verdict: Verdict, word: string) => {
        item.replaceChildren(`${proposal.tool}: ${word}`);
        resolve(verdict);
      };
      const allow = element('button', 'Allow');
      const deny = element('button', 'Deny');
      allow.addEventListener('click', () => answer({ allow: {} }, 'allowed'));
      deny.addEventListener('click', () => answer({ deny: { reason: 'the user denied it' } }, 'denied'));
      signal.addEventListener('abort', () => answer({ deny: { reason: 'the question was not answered in time' } }, 'not answered'), { once: true });
      item.append(allow, deny);
    });
  }

  #event(event: Event): void {
    if (typeof event === 'string') return;
    if ('message_added' in event) this.#message(event.message_added.message);
    if ('withdrawn' in event) this.#withdraw(event.withdrawn.call);
    if ('call_proposed' in event) this.#card(event.call_proposed.call, event.call_proposed.tool, event.call_proposed.arguments);
    if ('call_started' in event) this.#mark(event.call_started.call, 'running');
    if ('call_finished' in event) this.#mark(event.call_finished.call, event.call_finished.outcome);
    if ('ruled' in event) {
      const { guard, rejected, reason } = event.ruled;
      this.#item('ruling', `${guard} ${rejected ? 'rejected the result' : 'warned about the result'}: ${reason}`);
    }
    if ('model_failed' in event) this.problem(`Model error (${event.model_failed.class.replaceAll('_', ' ')}): ${event.model_failed.message}`);
  }

  #message({ role, blocks }: Message): void {
    for (const block of blocks) {
      if ('text' in block && block.text !== '') {
        // The whole message replaces the streamed text.
        if (role === 'assistant') this.#withdraw(undefined);
        this.#item(role, block.text);
      }
      if ('tool_result' in block) {
        const { tool, text, outcome = 'succeeded' } = block.tool_result;
        const item = this.#item('result', `${tool} (${outcome})`);
        item.append(element('pre', openEnvelope(text).slice(0, MAX_RESULT_CHARS)));
      }
    }
  }

  #stream(call: number, text: string): void {
    if (this.#streaming?.call !== call) this.#streaming = { call, item: this.#item('assistant', '') };
    this.#streaming.item.append(text);
  }

  #withdraw(call: number | undefined): void {
    if (call !== undefined && this.#streaming?.call !== call) return;
    this.#streaming?.item.remove();
    this.#streaming = undefined;
  }

  #card(call: number, tool: string, text: string): void {
    const item = this.#item('call', `${tool} `);
    item.append(element('pre', text), element('small', 'proposed'));
    this.#cards.set(call, item);
  }

  #mark(call: number, state: string): void {
    const small = this.#cards.get(call)?.querySelector('small');
    if (small) small.textContent = state;
  }

  #ending(ending: Ending): void {
    this.#withdraw(undefined);
    if ('answered' in ending) return;
    this.#item('problem', endingText(ending));
  }

  #item(kind: string, text: string): HTMLElement {
    const item = element('li', text);
    item.className = kind;
    this.#list.append(item);
    item.scrollIntoView({ block: 'nearest' });
    return item;
  }
}

/** The ending in words. */
function endingText(ending: Exclude<Ending, { answered: unknown }>): string {
  if ('refused' in ending) return `The model refused: ${ending.refused.reason || 'no reason given'}`;
  if ('rejected' in ending) return `A guard rejected the answer (${ending.rejected.what}): ${ending.rejected.reason}`;
  if ('looping' in ending) {
    const { tool, times } = ending.looping;
    return tool ? `Stopped: ${tool} was called ${times} times with the same result.` : `Stopped: ${times} turns in a row gave nothing new.`;
  }
  if ('over_budget' in ending) return 'Budget used up.';
  if ('over_limit' in ending) return `Limit reached (${ending.over_limit.limit.replaceAll('_', ' ')}): ${ending.over_limit.used} of ${ending.over_limit.allowed}.`;
  if ('cancelled' in ending) return ending.cancelled.reason.startsWith('stopped ') ? `S${ending.cancelled.reason.slice(1)}.` : `Stopped: ${ending.cancelled.reason}`;
  return `Failed (${ending.failed.class.replaceAll('_', ' ')}): ${ending.failed.message}`;
}

/** The text inside the kernel's envelope, or the whole text if it has none. */
function openEnvelope(sealed: string): string {
  return /^<tool_output seal="([0-9a-f]{8})">([\s\S]*)<\/tool_output seal="\1">$/.exec(sealed)?.[2] ?? sealed;
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
