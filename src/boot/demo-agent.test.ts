/** The agent of the demo, as somebody meets it who writes on the phone page right after the first start. No model is set up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../test/support/network.ts';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { waitUntil } from '../../test/support/wait.ts';

const platform = await startPlatform({ hasDemoAgent: true, env: { AGENT_WAIT: '1s' } });

/** Writes as a contact, and returns what the phone receives; null when a person has to answer. */
async function ask(text: string): Promise<string | null> {
  const from = makePhoneNumber();
  await platform.receive({ from, text });
  return waitUntil('the answer or the hand-over', async () => {
    const { messages } = await platform.sandbox('GET', `/sandbox/messages?phone=${from}`);
    if (messages.length > 0) return { text: messages[0].body.text.body as string };
    const { result } = (await platform.call(200, 'GET', `/v1/conversations?search=${from}`)).body;
    return result.some(({ handled_by }: Json) => handled_by === 'HUMAN') && { text: null };
  }).then((answer) => answer.text);
}

test('a first message on the phone of the demo is answered offline, in the language of the question', async () => {
  for (const [question, answer] of [
    ['Que horas a padaria abre?', /das 6h às 20h/],
    ['Aceitam Pix?', /Aceitamos Pix/],
    ['Do you deliver in Recife?', /We deliver everywhere/],
    ['¿Dónde está la panadería?', /Rua da Aurora 120, en Recife/],
  ] as const)
    assert.match((await ask(question)) ?? 'a person answers', answer, question);
});

test('what the texts of the demo do not answer goes to a person', async () => {
  for (const question of ['Quero falar com uma pessoa', 'Hello, is anybody there?'])
    assert.equal(await ask(question), null, question);
});
