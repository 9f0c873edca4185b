// Whole loops against the provider double, on any host that has `fetch`.

const VERSIONS = [
  ['openai-chat', 'openaiChat', '/v1'],
  ['openai-responses', 'openaiResponses', '/v1'],
  ['anthropic', 'anthropic', '/v1'],
  ['ollama', 'ollama', ''],
  ['gemini', 'gemini', ''],
  ['cohere', 'cohere', ''],
  ['bedrock', 'bedrock', ''],
];

/** Plays every scenario; gives what came of each. */
export async function loops(holm, base) {
  const found = {};
  const aws = { region: 'us-east-1', accessKeyId: 'AKID', secretAccessKey: 's' };
  for (const [name, make, path] of VERSIONS) {
    const model = (act) => holm[make]({ name: `double/${act}`, baseUrl: base + path, key: 'k', aws });
    found[name] = {
      hello: await drive(holm, [model('drip')]),
      tools: await drive(holm, [model('tools')]),
      denied: await drive(holm, [model('denied')]),
      retried: await drive(holm, [model('broken'), model('hello')]),
      cancelled: await drive(holm, [model('drip')], 'cancel'),
    };
  }
  const nobody = holm.openaiChat({ name: 'double/hello', baseUrl: 'http://127.0.0.1:9', key: 'k' });
  found.unreachable = await drive(holm, [nobody]);
  return found;
}

async function drive(holm, model, then) {
  const ran = [];
  const weather = holm.tool({
    name: 'weather',
    description: 'Tells the weather.',
    level: 'read-only',
    input: { type: 'object', properties: { city: { type: 'string' }, unit: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => {
      ran.push(city);
      return `${city}: sunny`;
    },
  });
  const journal = new holm.MemoryJournal();
  const config = { retry: { attempts: 2, base_ms: 5, jitter_milli: 0, patience_ms: 2000 } };
  const agent = holm.runAgent({ model, tools: [weather], prompt: 'How is the weather?', journal, config });
  let deltas = 0;
  let text = '';
  let failures = 0;
  for await (const event of agent) {
    if (event.type === 'delta') {
      deltas += 1;
      text += event.delta.text?.text ?? '';
      if (then === 'cancel' && deltas === 1) agent.cancel('enough');
    } else if (event.type === 'event' && event.event.model_failed) failures += 1;
  }
  const ending = await agent.ending;
  const same = holm.Run.replay(journal.text).status().effects === agent.run.status().effects;
  return { ending, text, streamed: deltas > 1, failures, ran: ran.sort(), same };
}
