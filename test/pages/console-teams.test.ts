/** Teams in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openConsoleAt } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, demo } = platform;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;
const ana = await createPerson(platform, demo._id, 'OPERATOR');
await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { name: 'Ana Souza' } });

test('a team is created by keyboard, and a conversation that is given to it goes to the member who is available', async () => {
  await platform.receive({ from: '5511988880091', name: 'Maria Silva', text: 'Quero um bolo' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/teams' });
  await page.getByRole('button', { name: 'New team' }).press('Enter');
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Orders');
  await form.getByLabel('Description').fill('Takes orders');
  await form.getByLabel('Ana Souza').press('Space');
  await form.getByLabel('Assignment').selectOption({ label: 'In turn' });
  await form.getByLabel('Maximum open conversations per member').fill('20');
  assert.deepEqual(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  await page.getByRole('row', { name: /Orders Ana Souza In turn 20/ }).waitFor();
  const [team] = (await read('/v1/teams')).result;
  assert.deepEqual(
    [team.name, team.description, team.capacity, team.members],
    ['Orders', 'Takes orders', 20, [ana._id]],
  );

  await page.goto(`${platform.url}/console/inbox/unassigned`);
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  await page.getByRole('button', { name: 'Assign' }).click();
  await page.getByRole('menuitem', { name: 'Orders' }).press('Enter');
  await page.getByRole('button', { name: 'Ana Souza' }).waitFor();
  await page.getByText('Assigned to the team Orders').waitFor();
  await page.getByRole('link', { name: /Orders 1/ }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.getByRole('link', { name: /Maria Silva/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('who is away in the account menu is given no conversation, and says so to the colleagues', async () => {
  const { page, complaints, close } = await openConsoleAt({ url: platform.url, email: ana.email }, browser);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: /^Away/ }).click();
  await page.getByRole('button', { name: 'Account: Ana Souza, Away' }).waitFor();
  assert.equal((await read(`/v1/users/${ana._id}`)).availability, 'AWAY');
  await page.goto(`${platform.url}/console/users`);
  await page.getByRole('row', { name: /Ana Souza .* Away/ }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: /^Online/ }).click();
  await waitUntil('Ana to be online', async () => (await read(`/v1/users/${ana._id}`)).availability === 'ONLINE');
  assert.deepEqual(complaints(), []);
  await close();
});

test('the removal of a user says before how many open conversations and scheduled messages the person has, and what becomes of them', async () => {
  const { _id: leaver, email, token } = await createPerson(platform, demo._id, 'OPERATOR');
  const [conversation] = (await read('/v1/conversations?open=true&limit=1')).result;
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { owner: leaver } });
  await call(201, 'POST', '/v1/scheduled-messages', {
    key: token,
    body: {
      conversation: conversation._id,
      message: { content: 'Tudo bem?' },
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/users' });
  await page.getByRole('row', { name: new RegExp(email) }).press('Enter');
  await findDialog(page).getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  const meaning =
    /Open conversations of this person: 1\. Open conversations lose their owner .* Scheduled messages of this person: 1\. They will not be sent.* Private views, macros and quick replies are removed\./;
  await findDialog(page).getByRole('alert').filter({ hasText: meaning }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
