/** People who work with the keyboard: they search, run commands, and go from screen to screen by keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('somebody finds a message, assigns its conversation, snoozes it until nine o’clock tomorrow and closes it, and goes on, by keyboard alone', async () => {
  await platform.receive({ from: '5511988880011', name: 'Maria Silva', text: 'O pedido 4821 não chegou' });
  const { page, complaints, calls, close } = await openConsole(platform, browser, { path: '/inbox/mine' });
  const { keyboard } = page;
  await keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search and commands' });
  await dialog.getByRole('option', { name: 'Users' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('combobox').evaluate((field: Json) => {
    for (const digit of '4821') field.ownerDocument.execCommand('insertText', false, digit);
  });
  await dialog.getByRole('option', { name: /O pedido 4821/ }).waitFor();
  // What somebody types without a pause is one search.
  assert.equal(calls().filter((path) => /^\/v1\/messages\?.*search=/.test(path)).length, 1);
  await keyboard.press('Enter');
  await page.getByRole('log').getByText('O pedido 4821 não chegou').waitFor();

  await keyboard.press('Control+k');
  await keyboard.type('assign');
  await dialog.getByRole('option', { name: 'Assign to me' }).waitFor();
  await keyboard.press('Enter');
  const read = async () => (await platform.call(200, 'GET', '/v1/conversations')).body.result[0];
  await waitUntil('the owner', async () => (await read()).owner !== null);

  await keyboard.press('Control+k');
  await keyboard.type('snooze');
  await dialog.getByRole('option', { name: 'Snooze until tomorrow' }).waitFor();
  await keyboard.press('Enter');
  await waitUntil('the snooze', async () => (await read()).status === 'SNOOZED');
  assert.equal(
    (await read()).snoozed_until,
    await page.evaluate(`new Date(new Date(Date.now() + 86_400_000).setHours(9, 0, 0, 0)).toISOString()`),
  );

  // A letter that is typed is no command.
  await page.getByLabel('Write a message').focus();
  await keyboard.type('e');
  assert.equal((await read()).status, 'SNOOZED');
  await keyboard.press('Backspace');
  await keyboard.press('Escape');
  await keyboard.press('e');
  await waitUntil('the end of the conversation', async () => (await read()).status === 'CLOSED');

  await keyboard.press('n');
  await page.getByLabel('Write a note').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('[');
  await page.waitForURL('**/inbox/unassigned');
  await keyboard.press('g');
  await keyboard.press('u');
  await page.waitForURL('**/users');
  assert.deepEqual(complaints(), []);
  await close();
});

test('the keys are shown in the language of the user, and work only outside of dialogs', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { language: 'pt-BR', path: '/users' });
  await page.getByRole('button', { name: 'Convidar uma pessoa' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Atalhos do teclado' });
  await dialog.getByText('Atribuir a mim').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.match(page.url(), /\/users$/);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the palette changes the priority, owner and tags of the open conversation, and finds one of its messages', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rui Costa', text: 'Quero um bolo de laranja' });
  await writeAsContact(platform, { name: 'Eva Luz', text: 'Também quero laranja' });
  const user = await platform.createUser(platform.demo._id, 'OPERATOR', 'Rosa Lima');
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  const run = async (typed: string, command: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill(typed);
    await palette.getByRole('option', { name: command, exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
  };
  const read = async () => (await platform.call(200, 'GET', `/v1/conversations/${conversation._id}`)).body;
  await page.getByRole('region', { name: 'Rui Costa' }).waitFor();
  await run('urgent', 'Priority: Urgent');
  await waitUntil('the priority', async () => (await read()).priority === 'URGENT');
  await run('rosa', 'Assign to Rosa Lima');
  await waitUntil('the owner', async () => (await read()).owner === user._id);
  await run('tag', 'Add or remove tags');
  const tags = page.getByRole('dialog', { name: 'Tags of this conversation' });
  await tags.getByLabel('Add a tag').fill('vip');
  await page.keyboard.press('Enter');
  await tags.getByRole('button', { name: 'Remove the tag vip' }).waitFor();
  assert.deepEqual((await read()).tags, ['vip']);
  assert.deepEqual(await findBarriers(page), []);
  await tags.getByRole('button', { name: 'Remove the tag vip' }).click();
  await waitUntil('no tag', async () => (await read()).tags.length === 0);
  await page.keyboard.press('Escape');
  await tags.waitFor({ state: 'detached' });
  await run('search in', 'Search in this conversation');
  const search = page.getByRole('dialog', { name: 'Search in this conversation' });
  await search.getByRole('searchbox').fill('laranja');
  const hit = search.getByRole('link');
  await hit.waitFor();
  assert.match((await hit.innerText()).replaceAll('\n', ' '), /Rui Costa.*Quero um bolo de laranja/);
  assert.deepEqual(await findBarriers(page), []);
  await hit.click();
  await search.waitFor({ state: 'detached' });
  await page.waitForURL(`**/inbox/all/${conversation._id}?message=*`);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the first screen that is opened from the palette after the inbox begins at its heading, as after its keys', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox' });
  await page.getByRole('region', { name: 'Conversations' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Quick replies');
  await page.getByRole('option', { name: 'Quick replies', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Quick replies' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'New quick reply' }).and(page.locator(':focus')).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('the palette opens what the buttons for new records open, and offers it only to those who may create them', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  const dialogs = ['New contact', 'New campaign', 'New quick reply'].map((name) => [name, name]);
  for (const [command = '', title = ''] of [...dialogs, ['Invite a user', 'Invite a person']]) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(command);
    await palette.getByRole('option', { name: command, exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: title, exact: true }).getByRole('button', { name: 'Cancel' }).click();
    await findDialog(page).waitFor({ state: 'detached' });
  }
  // The command also works on its own screen.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Invite');
  await palette.getByRole('option', { name: 'Invite a user', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Invite a person', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await findDialog(page).waitFor({ state: 'detached' });
  for (const [command = '', path = ''] of [
    ['New rule', '/rules/new'],
    ['New agent', '/agents/new'],
  ]) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(command);
    await palette.getByRole('option', { name: command, exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
  }
  assert.deepEqual(complaints(), []);
  await close();

  const viewer = await openConsole(platform, browser, { path: '/board', role: 'VIEWER' });
  await viewer.page.getByRole('heading', { name: 'Board' }).waitFor();
  await viewer.page.keyboard.press('Control+k');
  await viewer.page.getByRole('option', { name: 'Users', exact: true }).waitFor();
  assert.equal(await viewer.page.getByRole('option', { name: /^(New|Invite)/ }).count(), 0);
  assert.deepEqual(viewer.complaints(), []);
  await viewer.close();
});

test('a screen that is left before it has loaded opens no dialog when it is visited later', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/board' });
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  const released = Promise.withResolvers<void>();
  await page.route(/\/contacts-\w+\.js$/, async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('New contact');
  await page.getByRole('option', { name: 'New contact', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/contacts');
  const navigation = page.getByRole('navigation', { name: 'Screens' });
  await navigation.getByRole('link', { name: 'Board' }).click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  released.resolve();
  await navigation.getByRole('link', { name: 'Contacts' }).click();
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await page.getByRole('row').nth(1).waitFor();
  assert.equal(await findDialog(page).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});
