/** What people do with conversations in the inbox of the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { isDeepStrictEqual } from 'node:util';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openConsoleAt } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';
import { orderAtTop, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, demo } = platform;

test('what happens to a conversation appears between its messages by itself, with who did it', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Bom dia' });
  const path = `/v1/conversations/${conversation._id}`;
  const { token: key, _id: rui } = await platform.createUser(demo._id, 'OPERATOR', 'Rui Costa');
  await call(200, 'PATCH', path, { key, body: { owner: rui } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const log = page.getByRole('log');
  await log.getByText('Assigned to Rui Costa · by Rui Costa').waitFor();
  await call(200, 'PATCH', path, { key, body: { status: 'CLOSED', tags: ['vip'] } });
  await log.getByText('Closed · Tag vip added · by Rui Costa').waitFor();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await log.getByText(/^Reopened · by/).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a person to whom a conversation of an agent is assigned answers it from then on', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ana Prado', text: 'Oi' });
  const path = `/v1/conversations/${conversation._id}`;
  const { _id: agent } = (await call(201, 'POST', '/v1/agents', { body: { name: 'Aurora', type: 'AI' } })).body;
  await call(200, 'PATCH', path, { body: { agent, handled_by: 'AI' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await page.getByText('Aurora answers this conversation').waitFor();
  await page.getByRole('button', { name: 'Assign' }).click();
  await page.getByRole('menuitem', { name: 'Olga Operator' }).first().click();
  await page.getByText('Aurora answers this conversation').waitFor({ state: 'detached' });
  const { body } = await call(200, 'GET', path);
  assert.deepEqual([body.handled_by, typeof body.owner], ['HUMAN', 'string']);
  assert.deepEqual(complaints(), []);
  await close();
});

test('who has no conversation comes to all open ones, and Mine says where they are', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rita Nunes', text: 'Oi' });
  const message = { conversationId: conversation._id, message: { content: 'Já respondemos' } };
  await call(201, 'POST', '/v1/messages/send-text', { body: message });
  const { page, complaints, close } = await openConsole(platform, browser);
  await page.waitForURL(`${platform.url}/console/inbox/all`);
  // What an API key has sent has one name in the list and in the conversation.
  await page.getByRole('link', { name: /Rita Nunes.*Automation: Já respondemos/ }).click();
  await page.getByRole('article').filter({ hasText: 'Já respondemos' }).getByText('Automation').waitFor();
  await page.getByRole('link', { name: /^Mine/ }).click();
  await page
    .getByRole('region', { name: 'Conversations' })
    .getByRole('link', { name: /^Unassigned: \d/ })
    .click();
  await page.getByRole('link', { name: /Rita Nunes/ }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('the title counts what the user is notified of, until the user reads it', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Unread Person', text: 'Oi' });
  const { _id: owner, email, token: key } = await createPerson(platform, platform.demo._id, 'OWNER');
  const { page, complaints, close } = await openConsoleAt({ url: platform.url, email }, browser, { path: '/contacts' });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { owner } });
  await waitUntil('the title to count it', async () => (await page.title()).startsWith('(1) '));
  await call(200, 'PUT', `/v1/conversations/${conversation._id}/read`, { key });
  await waitUntil('the title to count nothing', async () => !(await page.title()).startsWith('('));
  assert.deepEqual(complaints(), []);
  await close();
});

test('several conversations are selected by keyboard, as a range and all at once, without a row moving, stay selected until they are closed, and are changed together with the causes of failures', async () => {
  const names = ['Bulk One', 'Bulk Two', 'Bulk Three', 'Bulk Four'];
  const threads = [];
  for (const name of names) threads.push(await writeAsContact(platform, { name, text: 'Olá' }));
  const closed = threads[0]?.conversation._id as string;
  await orderAtTop(platform, threads.map(({ conversation }) => conversation._id).toReversed());
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const other = page.getByRole('link', { name: /Maria Silva/ });
  await other.waitFor();
  // A search begins a moment after the last key, and ends a selection that was made before it.
  await page.getByRole('searchbox').fill('bulk');
  await other.waitFor({ state: 'detached' });
  const pick = (name: string) => page.getByRole('checkbox', { name: `Select the conversation with ${name}` });
  await page.getByRole('link', { name: /Bulk Four/ }).focus();
  const before = await page.getByRole('link', { name: /Bulk Two/ }).boundingBox();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  assert.deepEqual(await page.getByRole('link', { name: /Bulk Two/ }).boundingBox(), before);
  await pick('Bulk Two').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Add and remove tags' }).click();
  await page.getByLabel('Tags to add').fill('vip, bulk');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByText('Tags of 3 conversations changed (added: vip, bulk)', { exact: true }).waitFor();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await pick('Bulk Four').check();
  await page.getByRole('button', { name: 'Priority' }).click();
  await page.getByRole('menuitem', { name: 'High' }).click();
  await page.getByText('Priority of 1 conversation set').waitFor();
  await page
    .getByRole('link', { name: /Bulk Four/ })
    .getByRole('img', { name: 'High' })
    .waitFor();
  await platform.call(200, 'PUT', `/v1/conversations/${threads[3]?.conversation._id}/read`);
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Mark as unread' }).click();
  await page.getByText('1 conversation marked as unread').waitFor();
  await page.getByRole('button', { name: 'Select all 4 that match' }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Unread' }).click();
  await page.getByRole('region', { name: '4 selected' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove the filter Unread' }).click();
  await pick('Bulk Three').waitFor();
  assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0, 'another filter ends the selection');
  await pick('Bulk Four').check();
  await page.getByRole('button', { name: 'Select all 4 that match' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await findDialog(page).getByText('Close 4 conversations?').waitFor();
  // A conversation that matches only now is none of those that the question is about.
  const late = await writeAsContact(platform, { name: 'Bulk Late', text: 'Olá' });
  await findDialog(page).getByRole('button', { name: 'Close 4 conversations' }).click();
  await page.getByText('4 conversations closed').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Clear selection' }).count(), 0);
  assert.equal((await call(200, 'GET', `/v1/conversations/${late.conversation._id}`)).body.status, 'OPEN');
  // The contact writes again, so that the closed conversation cannot be opened a second time.
  await writeAsContact(platform, { from: threads[0]?.contact.phone_number.slice(1), name: 'Bulk One', text: 'Again' });
  await page.goto(`${platform.url}/console/inbox/closed`);
  await page.getByRole('link', { name: /Bulk Two/ }).waitFor();
  for (const name of names) await pick(name).check();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('3 conversations reopened').waitFor();
  const cause = 'The contact already has another open conversation in this inbox.';
  await page.getByText(cause).waitFor();
  await page.getByRole('button', { name: '1 not changed' }).click();
  await findDialog(page).getByText(cause).waitFor();
  await findDialog(page).getByRole('link', { name: 'Go to the open conversation' }).click();
  await page.getByRole('log').getByText('Again').waitFor();
  const states = await Promise.all(
    threads.map(async ({ conversation }) => (await call(200, 'GET', `/v1/conversations/${conversation._id}`)).body),
  );
  assert.deepEqual(
    states.map(({ _id, status, tags }) => [_id === closed, status, tags]),
    [
      [true, 'CLOSED', []],
      [false, 'OPEN', ['vip', 'bulk']],
      [false, 'OPEN', ['vip', 'bulk']],
      [false, 'OPEN', ['vip', 'bulk']],
    ],
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('a conversation that cannot be reopened leads to the open one of its contact', async () => {
  const { conversation, contact } = await writeAsContact(platform, { name: 'Nina Duas', text: 'Primeira' });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { status: 'CLOSED' } });
  await writeAsContact(platform, { from: contact.phone_number.slice(1), name: 'Nina Duas', text: 'Segunda' });
  const { page, close } = await openConsole(platform, browser, { path: `/inbox/closed/${conversation._id}` });
  const follow = async (part: Locator): Promise<void> => {
    await part.getByText('The contact already has another open conversation in this inbox.').waitFor();
    await part.locator('a', { hasText: 'Go to the open conversation' }).click();
    await page.getByRole('log').getByText('Segunda').waitFor();
  };
  await page.getByRole('button', { name: 'Reopen' }).click();
  await follow(page.locator('[data-notice]'));
  await page.locator('[data-notice]').waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('log').getByText('Primeira').waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Oi de novo');
  await page.keyboard.press('Enter');
  await follow(page.getByRole('article').filter({ hasText: 'Oi de novo' }));
  await close();
});

test('the undo of closing several conversations gives each the state back that it had', async () => {
  const body = { name: 'Undo', steps: [{ name: 'Asked' }] };
  const step = (await call(201, 'POST', '/v1/pipelines', { body })).body.steps[0]._id;
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const states = [
    ['OPEN', null],
    ['PENDING', null],
    ['SNOOZED', later],
  ] as const;
  const paths: string[] = [];
  for (const [status, snoozed_until] of states) {
    const { conversation } = await writeAsContact(platform, { name: `Was ${status}`, text: 'Olá' });
    const path = `/v1/conversations/${conversation._id}`;
    await call(200, 'PATCH', path, { body: { status, snoozed_until, step } });
    paths.push(path);
  }
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/step-${step}` });
  for (const [status] of states)
    await page.getByRole('checkbox', { name: `Select the conversation with Was ${status}` }).check();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('3 conversations closed').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 conversation reopened').waitFor();
  await waitUntil('the states to be back', async () => {
    const now = await Promise.all(paths.map(async (path) => (await call(200, 'GET', path)).body));
    return isDeepStrictEqual(
      now.map(({ status, snoozed_until }) => [status, snoozed_until]),
      states,
    );
  });
  assert.deepEqual(complaints(), []);
  await close();
});

test('conversations are selected and changed on a phone, and the keys are listed', async () => {
  await writeAsContact(platform, { name: 'Small Screen', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: '/inbox/all',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    theme: 'dark',
    language: 'pt-BR',
  });
  const row = page.getByRole('link', { name: /Small Screen/ });
  const box = page.getByRole('checkbox', { name: 'Selecionar a conversa com Small Screen' });
  const picture = await row.locator('[data-initials]').boundingBox();
  const checkbox = await box.boundingBox();
  assert.ok(picture && checkbox && checkbox.x + checkbox.width <= picture.x, 'the checkbox stands before the picture');
  await row.click();
  const name = await page.getByRole('heading', { name: 'Small Screen' }).boundingBox();
  assert.ok(name && name.width > 200, 'the name has room');
  await page.locator('header').getByRole('button', { name: 'Mais' }).click();
  await page.getByRole('menuitem', { name: 'Sobre o contato' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('navigation', { name: 'Telas' }).getByRole('button', { name: 'Mais' }).click();
  await findDialog(page).getByRole('link', { name: 'Chaves de API' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await findDialog(page).getByRole('link', { name: 'Conversas' }).click();
  await page.goto(`${platform.url}/console/inbox/all`);
  await box.check();
  await page.getByText('Seleção: 1').waitFor();
  await page.getByRole('button', { name: 'Encerrar' }).click();
  await page.getByText('1 conversa encerrada').waitFor();
  await page.keyboard.press('?');
  await findDialog(page).getByText('Selecionar até aqui').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
