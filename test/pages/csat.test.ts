/** The page behind the link of a satisfaction survey. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeSurvey } from '../../src/features/csat/compose.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { findBarriers } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo } = platform;
const browser = await startBrowser();

/** A contact was asked; returns the survey and the address of its page. */
async function ask(): Promise<{ id: string; link: string }> {
  const question = 'Como foi o atendimento?';
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { csat_question: question } });
  const { conversation } = await writeAsContact(platform);
  await sendText(platform, conversation._id);
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  const id = await waitUntil('the survey to be sent', async () => {
    return (await call(200, 'GET', `/v1/csat-surveys?conversation=${conversation._id}`)).body.result[0]?._id as string;
  });
  const place = { company: demo._id, channel: 'EMAIL', id } as const;
  const message = composeSurvey(platform.running.kit, place, { question, language: 'pt-BR' });
  assert.ok(message.contentType === 'TEXT');
  return { id, link: String(message.content?.split('\n')[1]) };
}
const read = async (id: string) => (await call(200, 'GET', `/v1/csat-surveys/${id}`)).body;

test('a reader rates with a star and a comment, also without a script, and the page thanks', async () => {
  const { id, link } = await ask();
  const { page, complaints } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(link);
  await page.getByRole('heading', { name: 'Como foi o atendimento?' }).waitFor();
  await page.getByRole('radio', { name: '4: Satisfeito' }).check();
  await page.getByLabel('O que podemos melhorar? (opcional)').fill('Mais rápido');
  await page.getByRole('button', { name: 'Enviar' }).click();
  await page.getByRole('heading', { name: 'Obrigado!' }).waitFor();
  const { score, comment } = await read(id);
  assert.deepEqual([score, comment], [4, 'Mais rápido']);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a reader rates with the keyboard alone, and the page has no barriers', async () => {
  const { id, link } = await ask();
  const { page } = await openPage(browser);
  await page.goto(link);
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('status').waitFor();
  assert.equal((await read(id)).score, 2);
  await page.context().close();
});
