/** How a dialog of the console begins, and how it is confirmed and left with the keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, waitForDialog } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

/** The name of what has the focus: its label, or its first line. */
const FOCUSED = `(() => {
  const { labels, ariaLabel, innerText, tagName } = document.activeElement;
  return tagName + ' ' + (labels?.[0]?.innerText ?? ariaLabel ?? innerText).split('\\n')[0];
})()`;

test('a dialog begins at its first field or button, one without any at its main button, and a dangerous question at the safe button', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Lia Prado', text: 'Oi' });
  await writeAsContact(platform, { name: 'Rui Costa', text: 'Oi' });
  await platform.call(201, 'POST', '/v1/businesses', { body: { name: 'Padaria Sol' } });
  const { page, complaints, close } = await openConsole(platform, browser);
  const press = (name: string | RegExp) => async () => page.getByRole('button', { name }).first().click();
  const thread = `/inbox/all/${conversation._id}`;
  const dialogs: [path: string, open: () => Promise<void>, focused: string][] = [
    ['/contacts', press('New contact'), 'INPUT Name'],
    ['/contacts', press('Add a filter'), 'SELECT Field'],
    ['/businesses', press('New business'), 'INPUT Name'],
    ['/campaigns', press('New campaign'), 'INPUT Name'],
    ['/knowledge', press('Upload a file'), 'BUTTON Choose a file'],
    ['/quick-replies', press('New quick reply'), 'INPUT Name'],
    ['/inboxes', press('Connect an inbox'), 'BUTTON WhatsApp'],
    ['/webhook', press('Edit'), 'INPUT Address'],
    ['/users', press('Invite a person'), 'INPUT Name'],
    ['/api-keys', press('Create a key'), 'INPUT Name'],
    ['/fields/custom-fields', press('New field'), 'INPUT Name'],
    ['/fields/pipelines', press('New pipeline'), 'INPUT Name'],
    [
      thread,
      async () => {
        await press('Snooze')();
        await page.getByRole('menuitem', { name: 'Other time…' }).click();
      },
      'INPUT Until',
    ],
    // The templates are read after the dialog is there.
    [thread, press('Send a template'), 'INPUT Search templates'],
    [
      '/inbox/all',
      async () => {
        await page.getByRole('checkbox', { name: 'Select the conversation with Lia Prado' }).check();
        await press('Select all 2 that match')();
        await press(/^Close$/)();
      },
      'BUTTON Close 2 conversations',
    ],
    [
      '/businesses',
      async () => {
        await page.getByRole('row', { name: /Padaria Sol/ }).click();
        await press('Remove')();
      },
      'BUTTON Cancel',
    ],
  ];
  for (const [path, open, focused] of dialogs) {
    await page.goto(`${platform.url}/console${path}`);
    await open();
    await waitForDialog(page);
    await waitUntil(`${focused} to have the focus`, async () => (await page.evaluate(FOCUSED)) === focused);
  }
  assert.deepEqual(complaints(), []);
  await close();
});

test('an Enter that opens a dialog and is held does not press the button that has the focus then', async () => {
  await platform.call(201, 'POST', '/v1/businesses', { body: { name: 'Loja Lua' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/businesses' });
  await page.getByRole('row', { name: /Loja Lua/ }).click();
  await page.getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.down('Enter');
  await waitUntil('the safe button to have the focus', async () => (await page.evaluate(FOCUSED)) === 'BUTTON Cancel');
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  assert.equal(await findDialog(page).count(), 1);
  assert.deepEqual(complaints(), []);
  await close();
});

test('Enter in a field of one line confirms a dialog, in a text only with Ctrl, and never while a character is composed', async () => {
  const { page, complaints, calls, close } = await openConsole(platform, browser, { path: '/fields/custom-fields' });
  const dialog = findDialog(page);
  await page.getByRole('button', { name: 'New field' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Cor');
  await dialog.getByLabel('Type').selectOption('SELECT');
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    await dialog.getByLabel('Name', { exact: true }).dispatchEvent('keydown', { key: 'Enter', ...composing });
  const options = dialog.getByLabel('Choices');
  await options.pressSequentially('Azul');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Verde');
  assert.equal(await options.inputValue(), 'Azul\nVerde');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('row', { name: /Cor/ }).click();
  await dialog.getByRole('button', { name: 'Remove' }).waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Tom');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /Tom/ }).waitFor();
  await waitUntil('the dialog to be closed', async () => (await dialog.count()) === 0);
  const { body } = await platform.call(200, 'GET', '/v1/custom-fields?limit=100');
  const fields = body.result as { title: string; options: string[] }[];
  assert.deepEqual(fields.find(({ title }) => title === 'Tom')?.options, ['Azul', 'Verde']);
  const changes = calls().filter((call) => /^\/v1\/custom-fields(\/\w{24})?$/.test(call));
  assert.equal(changes.length, 2, changes.join(' '));
  assert.deepEqual(complaints(), []);
  await close();
});

test('a dialog with a changed field asks once before it is left, and any other closes immediately', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/contacts' });
  const { keyboard } = page;
  const dialog = findDialog(page);
  const name = dialog.getByLabel('Name', { exact: true });
  const question = dialog.getByText('Discard what you typed?');
  const open = async (): Promise<void> => {
    await page.getByRole('button', { name: 'New contact' }).click();
    await waitUntil('the name to have the focus', async () => (await page.evaluate(FOCUSED)) === 'INPUT Name');
  };
  const waitForEnd = () => waitUntil('the dialog to be closed', async () => (await dialog.count()) === 0);
  await open();
  await name.fill('Ana');
  await name.fill('');
  await keyboard.press('Escape');
  await waitForEnd();
  await open();
  await name.fill('Ana');
  await keyboard.press('Escape');
  await question.waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.equal(await page.evaluate(FOCUSED), 'BUTTON Keep editing');
  await keyboard.press('Enter');
  await waitUntil('the name to have the focus', async () => (await page.evaluate(FOCUSED)) === 'INPUT Name');
  assert.equal(await name.inputValue(), 'Ana');
  assert.equal(await question.count(), 0);
  await page.mouse.click(5, 5);
  await question.waitFor();
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await waitForEnd();
  await open();
  await dialog.getByLabel('Tags').fill('vip');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await question.waitFor();
  await keyboard.press('Escape');
  await waitForEnd();
  assert.deepEqual(complaints(), []);
  await close();
});
