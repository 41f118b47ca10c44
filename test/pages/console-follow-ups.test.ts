/** Follow-ups in the console: the rules of an agent, and what became of them in a conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { waitUntilCopied } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform({ env: { AGENT_WAIT: '1s' } });
const { call, database, demo } = platform;
const browser = await startBrowser();
await waitUntilCopied(platform, demo.inbox);

const { _id: item } = (
  await call(201, 'POST', '/v1/knowledge/autcl', {
    body: { name: 'Entrega', content: 'Entregamos bolos em toda a cidade de segunda a sexta.' },
  })
).body;
await waitUntil('the item to be ready', async () => {
  const { body } = await call(200, 'GET', `/v1/knowledge/${item}`);
  return body.status === 'READY';
});

test('the follow-ups of an agent are written in its form, each with its pause, its text and the template for a closed reply window', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/agents/new' });
  await page.getByLabel('Name', { exact: true }).fill('Ana');
  const add = page.getByRole('button', { name: 'Add a follow-up' });
  await add.click();
  await add.click();
  const first = page.getByRole('listitem', { name: 'Follow-up 1' });
  const second = page.getByRole('listitem', { name: 'Follow-up 2' });
  await first.getByLabel('Text').fill('Ainda está aí?');
  await second.getByLabel('Wait after the previous follow-up').fill('2');
  await second.getByLabel('Unit of time').selectOption({ label: 'days' });
  await page.getByRole('button', { name: 'Create' }).click();
  await second.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
  await second.getByLabel('Text').fill('Até logo!');
  await second.getByRole('button', { name: 'Choose a template' }).click();
  await findDialog(page)
    .getByRole('button', { name: /hello_world · en_US/ })
    .click();
  assert.deepEqual(await findBarriers(page), []);
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  await second.getByText('the template hello_world is sent').waitFor();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Ana' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const readRules = async (): Promise<Json[]> => (await call(200, 'GET', '/v1/agents')).body.result[0].follow_ups;
  assert.deepEqual(await readRules(), [
    { delay_minutes: 60, content: 'Ainda está aí?', template: null },
    {
      delay_minutes: 2_880,
      content: 'Até logo!',
      template: { name: 'hello_world', language: 'en_US', components: [] },
    },
  ]);

  await page.getByRole('button', { name: 'Remove: Follow-up 1' }).click();
  await second.waitFor({ state: 'detached' });
  await page.getByLabel('Write again later').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await waitUntil('the change to be stored', async () => (await readRules()).length === 1);
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});

test('a conversation shows what its agent will write and when, cancels it after a second press, and says without a reload what became of it', async () => {
  const follow_ups = [{ delay_minutes: 600, content: 'Ainda está aí?' }];
  const { _id: agent } = (await call(201, 'POST', '/v1/agents', { body: { name: 'Bia', type: 'AI', follow_ups } }))
    .body;
  await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const ask = () => platform.receive({ from: '5511988880101', name: 'Maria Silva', text: 'Vocês entregam bolo?' });
  await ask();
  const row = page.getByRole('link', { name: /Maria Silva/ });
  await row.getByText(/^Agent: Entregamos/).waitFor();
  await row.click();
  await page.getByRole('button', { name: /^Follows up on/ }).click();
  const items = findDialog(page).getByRole('listitem');
  await items.getByText('Scheduled').waitFor();
  await items.getByText('Ainda está aí?').waitFor();
  await items.getByRole('button', { name: 'Cancel the follow-up' }).click();
  await items.getByRole('button', { name: 'Yes, cancel it' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await items.getByRole('button', { name: 'Yes, cancel it' }).click();
  await items.getByText('It was cancelled manually.').waitFor();
  assert.equal(await items.getByRole('button').count(), 0);

  await ask();
  const latest = items.first();
  await latest.getByText('Scheduled').waitFor();
  await ask();
  await items.getByText('The contact replied.').waitFor();
  await waitUntil('the third follow-up to be shown', async () => (await items.count()) === 3);
  await latest.getByText('Scheduled').waitFor();
  await database.sql(
    `update follow_ups set status = 'FAILED', updated_at = clock_timestamp() where company_id = $1 and status = 'SCHEDULED'`,
    [demo._id],
  );
  await latest.getByText('Not sent').waitFor();
  await latest.getByText('The platform could not send it').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Follow-ups', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
