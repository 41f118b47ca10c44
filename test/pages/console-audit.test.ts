/** The audit in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { listActions, RESOURCES } from '../../web/console/screens/audit/actions.ts';
import { startBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('somebody finds out by keyboard who has made a pipeline, among the entries of one person', async () => {
  const { _id: maker, token } = await platform.createUser(platform.demo._id, 'ADMIN', 'Paula Souza');
  const pipeline = { name: 'Vendas', steps: [{ name: 'Novo' }] };
  await platform.call(201, 'POST', '/v1/pipelines', { key: token, body: pipeline });
  const { page, calls, complaints, close } = await openConsole(platform, browser, { path: '/audit' });
  const rows = page.getByRole('table', { name: 'Audit' }).getByRole('row');
  await page.getByLabel('Who').selectOption(maker);
  await page.getByLabel('Kind of record').selectOption('Pipelines');
  await page.getByLabel('Action').selectOption('created');
  const today = new Date().toLocaleDateString('sv');
  await page.getByLabel('From').fill(today);
  await page.getByLabel('Until').fill(today);
  await rows.getByText('Paula Souza').waitFor();
  await rows.getByText('Vendas').waitFor();
  assert.equal(await rows.count(), 2, 'the titles and one entry');
  await rows.last().press('Enter');
  const entry = page.getByRole('dialog', { name: 'Pipelines: created' });
  await entry.getByText('name, steps').waitFor();
  await page.keyboard.press('Escape');
  await entry.waitFor({ state: 'detached' });
  await page.getByLabel('From').fill('2020-01-01');
  await page.getByLabel('Until').fill('2020-01-31');
  await page.getByText('No entry matches').waitFor();
  await page.getByLabel('From').fill('');
  await page.getByLabel('Until').fill('');
  await page.getByLabel('Who').selectOption('Everyone');
  await page.getByLabel('Action').selectOption('Any action');
  await page.getByLabel('Kind of record').selectOption('Everything');
  const { email } = (await platform.call(200, 'GET', `/v1/users/${maker}`)).body;
  const wrong = { email, password: 'a wrong password' };
  await platform.call(401, 'POST', '/v1/auth/login', { key: null, body: wrong });
  await page.getByRole('button', { name: 'Read the newest entries' }).click();
  await rows.filter({ hasText: 'Log-in: refused' }).getByText('Paula Souza').last().waitFor();
  assert.ok(calls().every((path) => !path.startsWith('/v1/audit') || path.includes('limit=100')));
  assert.deepEqual(complaints(), []);
  await close();
});

test('the audit can be filtered by each action that the platform records', () => {
  const openapi = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  const recorded = [...openapi.matchAll(/"x-audit-action": ?"([^"]+)"/g)].map(([, action]) => action);
  const offered = new Set(RESOURCES.flatMap((resource) => listActions(resource).map(({ action }) => action)));
  assert.deepEqual(
    [...new Set(recorded)].filter((action) => !offered.has(action ?? '')),
    [],
  );
});
