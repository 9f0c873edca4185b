// An agent in a page: the kernel runs here, its tools are functions of the page, and no server of yours takes part.

import { openaiChat, runAgent, tool } from 'holm';

const model = openaiChat({
  name: `endpoint/${import.meta.env.VITE_MODEL ?? 'qwen3'}`,
  // Ollama on this machine. A page must not contain a key: behind a key, use the edge worker, which gives pages short-lived tokens.
  baseUrl: import.meta.env.VITE_MODEL_URL ?? 'http://127.0.0.1:11434/v1',
});

const $ = (selector) => document.querySelector(selector);
const items = () => [...$('#list').children].map((item) => item.textContent);

const tools = [
  tool({
    name: 'read_list',
    description: 'Returns the items on the packing list.',
    level: 'read-only',
    input: { type: 'object', properties: {} },
    run: () => items(),
  }),
  tool({
    name: 'add_item',
    description: 'Adds an item to the packing list.',
    level: 'write', // so the kernel asks `judge` before each call
    input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    run: ({ item }) => {
      // Text, never markup: what a model writes is not trusted.
      $('#list').append(Object.assign(document.createElement('li'), { textContent: item }));
      return `added ${item}`;
    },
  }),
];

/** Shows a call to the person and waits for a button. */
function judge(proposal) {
  const question = $('#question');
  question.querySelector('span').textContent = `May I call ${proposal.tool} with ${proposal.arguments}?`;
  question.hidden = false;
  return new Promise((resolve) => {
    question.onclick = ({ target }) => {
      if (!target.value) return;
      question.hidden = true;
      resolve(target.value === 'yes' ? { allow: {} } : { deny: { reason: 'The person said no.' } });
    };
  });
}

/** The journal of the conversation. It survives a reload, and any other host can resume it. */
const journal = {
  text: () => localStorage.getItem('journal') ?? '',
  append: (line) => localStorage.setItem('journal', journal.text() + line),
};

async function ask(prompt) {
  $('#answer').textContent = '…';
  const system = 'You keep the packing list of this page. Be brief.';
  const resume = journal.text() || undefined;
  const { answered, ...other } = await runAgent({ model, system, prompt, tools, journal, resume, hooks: { judge } }).ending;
  $('#answer').textContent = answered?.text ?? JSON.stringify(other);
}

$('#ask').onsubmit = (event) => {
  event.preventDefault();
  ask(event.target.text.value).catch((error) => ($('#answer').textContent = String(error)));
};
