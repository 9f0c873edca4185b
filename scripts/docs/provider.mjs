// A provider on this machine that speaks OpenAI's chat format and follows a script, for pictures of the real program.

import { createServer } from 'node:http';

/**
 * Starts it. `script` has one reply for each request: `{ text }` in pieces, or `{ text, call: [name, arguments] }`.
 * A reply stops after each piece of its text until `release` is called, so that a picture can be taken there.
 */
export async function startProvider(script) {
  const replies = [...script];
  let waiting = null;
  const pause = () => new Promise((resolve) => { waiting = resolve; });
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { model } = JSON.parse(Buffer.concat(parts).toString() || '{}');
    const reply = replies.shift() ?? { text: ['The script has ended.'] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (more) => response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model, ...more })}\n\n`);
    const choose = (delta, finish = null) => send({ choices: [{ index: 0, delta, finish_reason: finish }] });
    for (const piece of reply.text ?? []) {
      choose({ content: piece });
      if (reply.paced) await pause();
    }
    if (reply.call !== undefined) {
      const [name, given] = reply.call;
      choose({ tool_calls: [{ index: 0, id: `call_${replies.length}`, type: 'function', function: { name, arguments: JSON.stringify(given) } }] });
    }
    choose({}, reply.call === undefined ? 'stop' : 'tool_calls');
    send({ choices: [], usage: reply.usage ?? { prompt_tokens: 3200, completion_tokens: 120, total_tokens: 3320 } });
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${server.address().port}/v1`,
    release: () => {
      const go = waiting;
      waiting = null;
      go?.();
    },
    close: () => server.close().closeAllConnections(),
  };
}
