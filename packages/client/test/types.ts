// Never run: the compiler checks it. The types must allow what the server allows, and nothing else.

import { type Frame, Holm, eventData } from 'holm-client';
import { serveTools, start } from 'holm-client/node';

export async function typed(frame: Frame): Promise<void> {
  const tools = await serveTools([{ name: 'add', description: 'Adds.', schema: {}, run: ({ a }: { a: number }) => a, level: 'none' }]);
  const holm = await Holm.connect('http://127.0.0.1:7417', 'token', { tools });
  const usage: number = (await holm.request('GET /api/usage', { query: { by: 'model' } })).spent_nano_usd;
  const session = await holm.create('name', { agent: 'holm' });
  const { value } = await session.askValue<{ day: string }>('When?', {}, { approve: (call) => call.level === 'write' && 'session' });
  const day: string = value.day;
  const tool: string | undefined = eventData(frame, 'call_proposed')?.tool;
  if (frame.kind === 'ended' && frame.result.ending === 'over_budget') console.log(usage, day, tool);

  // @ts-expect-error there is no such route
  await holm.request('GET /api/nothing');
  // @ts-expect-error a prompt has a text
  await holm.request('POST /api/sessions/{id}/prompt', { path: { id: 'a' }, body: { words: 'b' } });
  // @ts-expect-error an answer is one of a few words
  await session.answer(1, 'perhaps');
  // @ts-expect-error there is no such event
  eventData(frame, 'nothing_happened');
  // @ts-expect-error a level is one of four
  await start({ tools: [{ name: 'a', description: 'A.', schema: {}, run: () => 1, level: 'huge' }] });
}
