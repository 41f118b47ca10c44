/** The steps of scripts/examples.ts about what a model writes for users: on a platform of its own, because the others record answers without a model. */
import { openModel, say, sendJson } from '../test/support/model.ts';
import { openPlatform, type Json, type Platform } from '../test/support/platform.ts';
import { writeAsContact } from '../test/support/traffic.ts';
import { waitUntil } from '../test/support/wait.ts';
import type { Take } from './example-steps.ts';

/** What the model writes, by a part of what it is told. */
const WORDS: [part: string, words: string][] = [
  ['You draft', 'Yes, we deliver cakes on Sundays!'],
  ['You summarize', 'Maria asks whether cakes are delivered on Sundays. She has no answer yet.'],
  ['You edit', 'We deliver on Sundays.'],
  ['You translate', 'Vocês entregam bolos aos domingos?'],
];

export async function recordAssist(bind: (platform: Platform) => Take): Promise<void> {
  const model = await openModel(({ body }, response) => {
    const rules = String((body as Json)['messages'][0].content);
    sendJson(response, say(WORDS.find(([part]) => rules.startsWith(part))?.[1] ?? 'Hello'));
  });
  const { platform, close } = await openPlatform({ env: { AI_BASE_URL: model.url, AI_MODEL: 'small' } });
  try {
    await recordUses(bind(platform), platform);
  } finally {
    await close();
    model.close();
  }
}

async function recordUses(take: Take, platform: Platform): Promise<void> {
  const { call } = platform;
  const content = 'We deliver cakes on Sundays.';
  const item = (await call(201, 'POST', '/v1/knowledge/autcl', { body: { name: 'Delivery', content } })).body;
  await waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${item._id}`);
    return body.status === 'READY';
  });
  const agent = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body;
  const text = 'Do you deliver cakes on Sundays?';
  const { conversation, message } = await writeAsContact(platform, { name: 'Maria Silva', text });
  await take('PUT /v1/agents/assist', '', {
    body: { agent: agent._id, acts: ['DRAFT', 'REWRITE', 'SUMMARIZE', 'TRANSLATE'] },
  });
  await take('GET /v1/agents/assist');
  await take('POST /v1/conversations/{id}/draft', conversation._id);
  const long = 'Yes, of course, we are happy to deliver our cakes to you on Sundays as well.';
  await take('POST /v1/conversations/{id}/rewrite', conversation._id, { body: { text: long, style: 'SHORTER' } });
  await take('POST /v1/conversations/{id}/summarize', conversation._id, { body: { language: 'en' } });
  await take('POST /v1/messages/{id}/translate', message._id, { body: { language: 'pt-BR' } });
}
