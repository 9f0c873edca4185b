// The official OpenAI SDK for Node against `holm serve`: an agent is a model.
//
// HOLM_SERVER names the server's address, HOLM_TOKEN a token. The agent's provider is a double that does what the last words say.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const LONG = 'It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];

const withKey = (apiKey) =>
  new OpenAI({ baseURL: `${process.env.HOLM_SERVER}/v1`, apiKey, maxRetries: 0, timeout: 60_000 });
const client = withKey(process.env.HOLM_TOKEN);
const ask = (content) => [{ role: 'user', content }];
const chat = (words, more = {}) =>
  client.chat.completions.create({ model: 'holm', messages: ask(words), ...more });

const tests = {
  async models() {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.deepEqual(ids, ['holm']);
  },

  async whole() {
    const reply = await chat('long');
    assert.equal(reply.choices[0].message.content, LONG);
    assert.equal(reply.choices[0].finish_reason, 'stop');
    assert.equal(reply.usage.total_tokens, 16);
  },

  async stream() {
    let [text, finish, usage] = ['', null, null];
    for await (const chunk of await chat('long', { stream: true, stream_options: { include_usage: true } })) {
      usage = chunk.usage ?? usage;
      for (const choice of chunk.choices) {
        text += choice.delta.content ?? '';
        finish = choice.finish_reason ?? finish;
      }
    }
    assert.deepEqual([text, finish, usage.total_tokens], [LONG, 'stop', 16]);
  },

  async tools() {
    const messages = ask('weather');
    const first = await client.chat.completions.create({ model: 'holm', messages, tools });
    const [call] = first.choices[0].message.tool_calls;
    assert.equal(first.choices[0].finish_reason, 'tool_calls');
    assert.equal(call.function.name, 'weather');
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Köln' });
    messages.push(first.choices[0].message, { role: 'tool', tool_call_id: call.id, content: '18 degrees' });
    const second = await client.chat.completions.create({ model: 'holm', messages, tools });
    assert.equal(second.choices[0].message.content, 'the tool said 18 degrees');
  },

  async toolsInAStream() {
    const stream = client.chat.completions.stream({ model: 'holm', messages: ask('weather'), tools });
    const reply = await stream.finalChatCompletion();
    assert.equal(reply.choices[0].message.tool_calls[0].function.name, 'weather');
  },

  async toolsThatTheSdkRuns() {
    const asked = [];
    const weather = (city) => {
      asked.push(city);
      return '18 degrees';
    };
    const run = { function: weather, parse: JSON.parse, name: 'weather', description: 'The weather.', parameters };
    const runner = client.chat.completions.runTools({
      model: 'holm',
      messages: ask('weather'),
      tools: [{ type: 'function', function: run }],
    });
    assert.equal(await runner.finalContent(), 'the tool said 18 degrees');
    assert.deepEqual(asked, [{ city: 'Köln' }]);
  },

  async roles() {
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      ...ask('hello'),
      { role: 'assistant', content: 'hi' },
      ...ask('conversation'),
    ];
    const reply = await client.chat.completions.create({ model: 'holm', messages });
    const expected = ['System: Be brief.', 'User: hello', 'Assistant: hi', 'User: conversation'];
    assert.deepEqual(reply.choices[0].message.content.split('\n'), expected);
  },

  async settings() {
    const stopped = await chat('long', { stop: 'clocks', temperature: 0.3 });
    assert.equal(stopped.choices[0].message.content, LONG.split('clocks')[0]);
    const sampled = await chat('temperature', { temperature: 0.3 });
    assert.equal(sampled.choices[0].message.content, 'Some(300)');
    await assert.rejects(chat('long', { n: 2 }), /\/n: expected 1/);
  },

  async errors() {
    const none = { model: 'nobody', messages: ask('hi') };
    await assert.rejects(client.chat.completions.create(none), OpenAI.NotFoundError);
    const empty = { model: 'holm', messages: [] };
    await assert.rejects(client.chat.completions.create(empty), OpenAI.BadRequestError);
    await assert.rejects(chat('fail'), OpenAI.BadRequestError);
    await assert.rejects(async () => {
      for await (const _ of await chat('fail', { stream: true }));
    }, OpenAI.APIError);
    await assert.rejects(withKey('holm_wrong').models.list(), OpenAI.AuthenticationError);
  },

  async cancel() {
    const stream = await chat('stall', { stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
  },

  async responses() {
    const reply = await client.responses.create({ model: 'holm', input: 'long' });
    assert.deepEqual([reply.output_text, reply.status], [LONG, 'completed']);
  },

  async responsesInAStream() {
    let [text, completed] = ['', null];
    for await (const event of await client.responses.create({ model: 'holm', input: 'long', stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.completed') completed = event.response;
    }
    assert.equal(text, LONG);
    assert.equal(completed.status, 'completed');
  },
};

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.error(`${name}:`, error);
    process.exitCode = 1;
  }
}
