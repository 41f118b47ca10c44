/** The checklist of a new company. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsoleAt } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { openSite, visit } from '../support/web-chat.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call } = platform;

/** Opens the inbox of a new company as the person who has this role there. */
async function begin(role: 'OWNER' | 'VIEWER', options: Json = {}) {
  const company = await platform.createCompany();
  const { email } = await createPerson(platform, company._id, role);
  const opened = await openConsoleAt({ url: platform.url, email }, browser, { path: '/inbox/mine', ...options });
  return { company, ...opened };
}
const asksForSteps = (calls: string[]): boolean => calls.some((each) => /^\/v1\/(quick-replies|webhooks)/.test(each));

test('a new company sees the steps that are left, each is done once its record exists, and a user who hides the list does not see it again', async () => {
  const { company, page, calls, complaints, close } = await begin('OWNER', { viewport: { width: 1440, height: 900 } });
  const steps = page.getByRole('region', { name: 'Set up your inbox' });
  await steps.getByText('0 of 5').waitFor();
  assert.equal(await steps.getByRole('link', { name: 'Connect', exact: true }).getAttribute('data-next'), 'true');
  assert.deepEqual(await findBarriers(page), []);
  const asked = { key: company.key };
  await call(201, 'POST', '/v1/quick-replies', { ...asked, body: { title: 'Hi', shortcut: 'hi', content: 'Hello' } });
  await call(201, 'POST', '/v1/inboxes', { ...asked, body: { name: 'Site', channel: 'WEB_V2' } });
  await page.reload();
  await steps.getByText('2 of 5').waitFor();
  await steps.getByRole('listitem').filter({ hasText: 'Write a quick reply (done)' }).waitFor();
  assert.equal(await steps.getByRole('link', { name: 'Invite' }).getAttribute('data-next'), 'true');
  await steps.getByRole('button', { name: 'Hide these steps' }).click();
  await page.getByText('Choose a conversation').waitFor();
  const before = calls().length;
  await page.reload();
  await page.getByText('Choose a conversation').waitFor();
  assert.equal(asksForSteps(calls().slice(before)), false);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the first message and the first team are shown as soon as they exist, and an agent does not count as a quick reply', async () => {
  const { company, page, complaints, close } = await begin('OWNER', { viewport: { width: 1440, height: 900 } });
  const steps = page.getByRole('region', { name: 'Set up your inbox' });
  await steps.getByText('0 of 5').waitFor();
  const asked = { key: company.key };
  const inbox = await openSite({
    url: platform.url,
    call: (status, method, path, options) => call(status, method, path, { ...asked, ...options }),
  });
  const views = page.getByRole('navigation', { name: 'Views' });
  await call(201, 'POST', '/v1/agents', { ...asked, body: { name: 'Aurora', type: 'AI' } });
  const visitor = await visit(platform, inbox);
  await visitor.write('Hello');
  await steps.getByRole('listitem').filter({ hasText: 'Send or receive a first message (done)' }).waitFor();
  assert.equal(await views.getByRole('heading', { name: 'Teams' }).count(), 0);
  const { body: team } = await call(201, 'POST', '/v1/teams', { ...asked, body: { name: 'Sales', members: [] } });
  const [conversation] = (await call(200, 'GET', '/v1/conversations', asked)).body.result;
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { ...asked, body: { team: team._id } });
  await views.getByRole('heading', { name: 'Teams' }).waitFor();
  await page.reload();
  await steps.getByText('2 of 5').waitFor();
  await steps.getByRole('link', { name: 'Add', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('on a phone the checklist is one line below the conversations, and opens', async () => {
  const { page, complaints, close } = await begin('OWNER', { viewport: { width: 390, height: 844 } });
  const steps = page.getByRole('region', { name: 'Set up your inbox' });
  const line = steps.getByText('Set up your inbox 0 of 5');
  await line.waitFor();
  assert.ok(((await steps.boundingBox())?.height ?? 844) < 60, 'it leaves the conversations in view');
  assert.deepEqual(await findBarriers(page), []);
  await line.click();
  await steps.getByRole('link', { name: 'Connect', exact: true }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a user who may do none of the steps of a new company does not see them, and the page does not look for their records', async () => {
  const { page, calls, complaints, close } = await begin('VIEWER');
  await page.getByText('Choose a conversation').waitFor();
  assert.equal(asksForSteps(calls()), false);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the checklist says that its steps could not be read, and reads them again', async () => {
  const { page, close } = await begin('OWNER', { viewport: { width: 1440, height: 900 } });
  await page.getByText('0 of 5').waitFor();
  const failing = '**/v1/quick-replies?*';
  const body = JSON.stringify({ code: 'INTERNAL', title: 'Internal error', status: 500 });
  await page.route(failing, (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body }));
  await page.reload();
  const retry = page.locator('main').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await page.unroute(failing);
  await retry.click();
  await page.getByText('0 of 5').waitFor();
  await close();
});

/** The screens with lists of which a new company has nothing, each with what it says then and the button of its first record. */
const EMPTY = {
  contacts: ['No contacts yet', 'New contact'],
  businesses: ['No businesses yet', 'New business'],
  campaigns: ['No campaigns yet', 'New campaign'],
  agents: ['No agents yet', 'New agent'],
  knowledge: ['No knowledge yet', 'Write a text'],
  'quick-replies': ['No quick replies yet', 'New quick reply'],
  tables: ['No tables yet', 'New table'],
  inboxes: ['No inboxes yet', 'Connect an inbox'],
  webhook: ['No webhook is set up', 'Set up the webhook'],
} as const;

test('a screen without a record has the button for its first one, and no other primary button', async () => {
  const { page, complaints, close } = await begin('OWNER');
  for (const [path, [title, name]] of Object.entries(EMPTY)) {
    await page.goto(`${platform.url}/console/${path}`);
    await page.getByText(title, { exact: true }).waitFor();
    await page.getByRole('button', { name }).waitFor();
    assert.deepEqual(await page.locator('main [data-kind=primary]').allTextContents(), [name]);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('the button of the first record keeps its place and the focus when the list turns out to be empty, and when it has a record', async () => {
  const { page, complaints, close } = await begin('OWNER');
  const answer = Promise.withResolvers<void>();
  await page.route('**/v1/teams?*', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.goto(`${platform.url}/console/teams`);
  const button = page.getByRole('button', { name: 'New team' });
  await button.focus();
  answer.resolve();
  await page.getByText('No teams yet').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Sales');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).press('Enter');
  await page.getByRole('row', { name: /Sales/ }).waitFor();
  await button.and(page.locator(':focus')).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
