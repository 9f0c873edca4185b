// A local provider in OpenAI's chat format, which obeys the user's last message. The server under test is the real one; this is
// its model.

import { createServer } from 'node:http';

/** A text that arrives letter by letter. */
export const LONG = 'It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀 The end.';

/** A long text in pieces, each with a unique word. The prompt `flow` sends one piece per release. */
export const FLOW = Array.from({ length: 12 }, (_, at) =>
  at % 3 === 0
    ? `## Part-${at}\n\nA paragraph that goes on for a while, so that it takes more than one line of the page, and then some more.\n\n`
    : at % 3 === 1
      ? `\`\`\`js\nconst part = 'Part-${at}';\nconsole.log(part);\n\`\`\`\n\n`
      : `| a | b |\n|---|---|\n| 1 | Part-${at} |\n\n`,
);

/**
 * Starts the provider. `release()` continues replies to the prompt `hold`; `asked` has the bodies of all requests.
 */
export async function provider() {
  const asked = [];
  let waiting = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}');
    asked.push(body);
    await perform(body, response, () => new Promise((resolve) => waiting.push(resolve)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const release = () => {
    const held = waiting;
    waiting = [];
    for (const go of held) go();
  };
  const close = () => {
    release();
    server.close().closeAllConnections();
  };
  return { base: `http://127.0.0.1:${server.address().port}/v1`, asked, release, held: () => waiting.length, close };
}

async function perform(body, response, hold) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta, finish = null) =>
    response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: body.model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  const last = body.messages.at(-1);
  const words = last.role === 'tool' ? '' : text(last).split('\n').at(-1);
  const call = last.role === 'tool' ? null : calls(words);
  if (words.startsWith('write both ')) {
    // Several calls of one reply.
    const made = words.slice(11).split(' ').map((path) => calls(`write ${path}`));
    send({ role: 'assistant', tool_calls: made.map((one, index) => ({ index, id: `c${body.messages.length}-${index}`, type: 'function', function: one })) });
    send({}, 'tool_calls');
  } else if (call !== null) {
    send({ role: 'assistant', tool_calls: [{ index: 0, id: `c${body.messages.length}`, type: 'function', function: call }] });
    send({}, 'tool_calls');
  } else if (words === 'think') {
    send({ reasoning_content: 'First I weigh it.' });
    send({ content: 'Weighed.' });
    send({}, 'stop');
  } else if (words === 'flow') {
    for (const piece of FLOW) {
      send({ content: piece });
      await hold();
    }
    send({}, 'stop');
  } else if (words === 'hold') {
    const half = Math.floor(LONG.length / 2);
    for (const letter of [...LONG.slice(0, half)]) send({ content: letter });
    await hold();
    send({ content: LONG.slice(half) });
    send({}, 'stop');
  } else {
    send({ content: last.role === 'tool' ? `The tool said: ${text(last)}` : answer(words) });
    send({}, 'stop');
  }
  response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: body.model, choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } })}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** The reply to a prompt: `say` with JSON replies with that text, so that a test can choose any reply. */
function answer(words) {
  return words.startsWith('say ') ? JSON.parse(words.slice(4)) : `You said ${words}`;
}

function calls(words) {
  if (words.startsWith('write ')) return { name: 'write', arguments: JSON.stringify({ path: words.slice(6), content: 'one\ntwo\n' }) };
  if (words.startsWith('delegate ')) return { name: 'scribe', arguments: JSON.stringify({ task: words.slice(9) }) };
  if (words.startsWith('read ')) return { name: 'read', arguments: JSON.stringify({ path: words.slice(5) }) };
  // `call` with a name and JSON calls any tool.
  const [, name, given] = /^call (\S+) (.*)$/.exec(words) ?? [];
  return name === undefined ? null : { name, arguments: given };
}

function text(message) {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((part) => part.text ?? '').join('');
}
