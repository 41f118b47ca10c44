/** The members of an inbox in the console: who is chosen, and what the others no longer see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { silenceNetwork, writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo } = platform;
const browser = await startBrowser();

const setMembers = (members: Json): Promise<unknown> =>
  call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members } });

test('an inbox is limited to users and teams by keyboard, and its conversations are offered only to those who see it', async () => {
  const member = await platform.createUser(demo._id, 'OPERATOR', 'Mia Member');
  const mate = await platform.createUser(demo._id, 'OPERATOR', 'Tom Teammate');
  await platform.createUser(demo._id, 'OPERATOR', 'Otto Outside');
  const body = { name: 'Desk', members: [mate._id] };
  const { body: team } = await call(201, 'POST', '/v1/teams', { body });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${demo.inbox}` });
  const limit = page.getByRole('checkbox', { name: 'Only some users see this inbox' });
  await limit.focus();
  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: 'Desk' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.equal(await page.getByRole('checkbox', { name: 'Desk' }).isChecked(), true);
  await page
    .getByRole('group', { name: 'Users who see it' })
    .getByRole('checkbox', { name: 'Mia Member' })
    .press('Space');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}`);
  assert.deepEqual(inbox.members, { users: [member._id], teams: [team._id] });

  const { conversation } = await writeAsContact(platform);
  await page.goto(`${platform.url}/console/inbox/all/${conversation._id}`);
  await page.getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mia Member' }).waitFor();
  await page.getByRole('menuitem', { name: 'Tom Teammate' }).waitFor();
  await page.getByRole('menuitem', { name: 'Otto Outside' }).waitFor({ state: 'detached' });
  assert.deepEqual(complaints(), []);
  await close();
  await setMembers(null);
});

test('settings keep the members that another user has set since the form was opened', async () => {
  const { _id: member } = await platform.createUser(demo._id, 'OPERATOR', 'Nina New');
  await platform.createUser(demo._id, 'OPERATOR', 'Oscar Other');
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${demo.inbox}` });
  const field = page.getByRole('textbox', { name: 'Name', exact: true });
  await field.fill('Front desk');
  await setMembers({ users: [member], teams: [] });
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}`);
  assert.deepEqual([inbox.name, inbox.members], ['Front desk', { users: [member], teams: [] }]);
  const owner = page.getByLabel('Owner of new conversations');
  await owner.getByRole('option', { name: 'Oscar Other' }).waitFor({ state: 'detached' });
  assert.equal(await owner.getByRole('option', { name: 'Nina New' }).count(), 1);
  assert.deepEqual(complaints(), []);
  await close();
  await setMembers(null);
});

test('a user who is no member any more loses the conversations in the open list, and compares only inboxes in reports', async () => {
  const { contact } = await writeAsContact(platform, { name: 'Greta Gone' });
  const { page, complaints, close } = await openConsole(platform, browser, { role: 'OPERATOR', path: '/inbox/all' });
  const row = page.getByRole('link', { name: new RegExp(contact.name) }).first();
  await row.waitFor();
  await setMembers({ users: [], teams: [] });
  await row.waitFor({ state: 'detached' });
  await page.goto(`${platform.url}/console/reports`);
  const compared = page.getByRole('combobox', { name: 'Compare' });
  await compared.waitFor();
  assert.deepEqual(await compared.getByRole('option').allTextContents(), ['Inboxes']);
  await setMembers(null);
  await compared.selectOption('Teams');
  await setMembers({ users: [], teams: [] });
  await compared.getByRole('option', { name: 'Teams' }).waitFor({ state: 'detached' });
  assert.equal(await compared.inputValue(), 'INBOX');
  assert.deepEqual(complaints(), []);
  await close();
  await setMembers(null);
});
