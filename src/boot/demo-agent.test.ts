/** The agent of the demo, as someone meets it who writes on the phone page right after the first start. No model is set up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePhoneNumber } from '../../test/support/network.ts';
import { startPlatform, type Json } from '../../test/support/platform.ts';
import { waitUntil } from '../../test/support/wait.ts';

const platform = await startPlatform({ hasWholeDemo: true, env: { AGENT_WAIT: '1s' } });

/** Writes as a contact, and returns what the phone receives. */
async function ask(text: string): Promise<string> {
  const from = makePhoneNumber();
  await platform.receive({ from, text });
  const [message] = await waitUntil('the answer', async (): Promise<Json[] | null> => {
    const { messages } = await platform.sandbox('GET', `/sandbox/messages?phone=${from}`);
    return messages.length > 0 ? messages : null;
  });
  return message?.['body'].text.body;
}

test('the demo is English', async () => {
  const { _id } = platform.demo;
  const { body: company } = await platform.call(200, 'GET', `/v1/companies/${_id}`);
  assert.equal(company.general_config.language, 'en');
  const { result } = (await platform.call(200, 'GET', '/v1/pipelines')).body;
  assert.deepEqual(
    result[0].steps.map(({ name }: Json) => name),
    ['New', 'In progress', 'Proposal', 'Won', 'Lost'],
  );
});

test('a first message on the phone of the demo is answered offline, in the language of the question', async () => {
  for (const [question, answer] of [
    ['Que horas a padaria abre?', /das 6h às 20h/],
    ['Aceitam Pix?', /Aceitamos Pix/],
    ['Do you deliver in Recife?', /We deliver everywhere/],
    ['¿Dónde está la panadería?', /Rua da Aurora 120, en Recife/],
  ] as const)
    assert.match(await ask(question), answer, question);
});

test('what the texts of the demo do not answer goes to a person, and the contact is told so', async () => {
  for (const question of ['Quero falar com uma pessoa', 'Hello, is anybody there?'])
    assert.match(await ask(question), /^Uma pessoa da padaria já vai responder\./, question);
  const { result } = (await platform.call(200, 'GET', '/v1/agents/turns?outcome=HANDED_OVER')).body;
  assert.equal(result.length, 2);
});
