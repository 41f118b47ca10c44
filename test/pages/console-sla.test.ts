/** SLA policies in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, database } = platform;
/** As long as the test takes less than half an hour. */
const OVERDUE = /^Overdue by 3\s?h/;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

test('an SLA policy is created by keyboard, the first of all as number 1, and a conversation that is not answered in time is overdue in red and in words, found by the filter, and good again after the reply', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/sla-policies' });
  await page.getByRole('button', { name: 'New SLA policy' }).press('Enter');
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Usual');
  assert.equal(await form.getByLabel('Order').inputValue(), '1');
  await form.getByLabel('First reply (minutes)').fill('60');
  await form.getByLabel('Next reply (minutes)').fill('120');
  await form.getByLabel('Count only the business hours of the inbox').press('Space');
  assert.deepEqual(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  const row = page.getByRole('row', { name: /^1 Usual 1h 2h/ });
  await row.press('Enter');
  assert.equal(await form.getByLabel('Order').inputValue(), '1');
  await page.setViewportSize({ width: 1280, height: 640 });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New SLA policy' }).click();
  await form.getByRole('button', { name: 'Create' }).click({ trial: true });
  assert.ok(await page.locator('[data-notice]').first().isVisible(), 'the notice is there and covers no button');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.setViewportSize({ width: 1280, height: 800 });
  const [policy] = (await read('/v1/sla-policies')).result;
  assert.deepEqual(
    [policy.first_reply_minutes, policy.within_business_hours, policy.inboxes, policy.position],
    [60, false, null, 0],
  );

  await platform.receive({ from: '5511988880191', name: 'Maria Silva', text: 'Quero um bolo' });
  await platform.receive({ from: '5511988880192', name: 'Rui Costa', text: 'Oi' });
  await waitUntil(
    'both to have targets',
    async () => (await database.sql('select from conversation_slas')).length === 2,
  );
  await database.sql(
    `update conversation_slas s set first_reply_due_at = now() - interval '210 minutes', due_at = now() - interval '210 minutes', notice_at = now()
      from conversations v join contacts c on c._id = v.contact_id where v._id = s.conversation_id and c.name = 'Maria Silva'`,
  );
  await page.goto(`${platform.url}/console/inbox/unassigned`);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitem', { name: 'SLA overdue' }).press('Enter');
  await page.getByRole('link', { name: /Rui Costa/ }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  await page.getByText(OVERDUE).first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const [sla] = await database.sql(`select min(due_at) as due_at from conversation_slas`);
  await page.clock.setFixedTime(Date.parse(String(sla?.['due_at'])) + 20_000);
  await page.reload();
  await page.getByText('Overdue', { exact: true }).waitFor();
  const [later] = await database.sql(`select max(due_at) as due_at from conversation_slas`);
  const rui = page.getByRole('link', { name: /Rui Costa/ });
  for (const [left, due] of [
    [270_000, 'Due in 4 min'],
    [230_000, 'Due in 3 min'],
    [30_000, 'Due now'],
  ] as const) {
    await page.clock.setFixedTime(Date.parse(String(later?.['due_at'])) - left);
    await page.goto(`${platform.url}/console/inbox/unassigned`);
    await rui.and(page.getByRole('link', { name: new RegExp(`Waiting .*, ${due}`) })).waitFor();
  }
  await page.getByRole('link', { name: /Maria Silva.*, Overdue by/ }).click();
  await page.clock.setFixedTime(Date.now());
  await page.reload();
  await page.getByLabel('Reply', { exact: true }).last().waitFor();
  const { result } = await read('/v1/conversations?sla=BREACHED');

  const body = { conversationId: result[0]._id, message: { content: 'Claro!' } };
  await call(201, 'POST', '/v1/messages/send-text', { body });
  await page.getByText(OVERDUE).first().waitFor({ state: 'detached' });
  assert.deepEqual(complaints(), []);
  await close();
});
