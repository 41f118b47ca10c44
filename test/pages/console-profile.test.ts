/** The journey of somebody who makes the console their own: name, picture, language, notices and sound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

/** A red picture, 60 points wide and 90 high. */
const TALL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAADwAAABaCAIAAABrM6JiAAAAXklEQVR42u3OAQkAAAgDsAczhLGNZQtBGCzAMl3vRFpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlr62gJQewWFWc0X4AAAAABJRU5ErkJggg==',
  'base64',
);

/** The user as the platform has stored it. */
const readUser = async (name: string): Promise<Json> => {
  const { body } = await platform.call(200, 'GET', '/v1/users?limit=100');
  return body.result.find((user: Json) => user.name === name);
};

test('a person changes name and picture, which the account menu, the list of users and notes show, and chooses language, notices and sound', async () => {
  const conversation = await platform.receive({ from: '5511988880401', name: 'Maria Silva', text: 'Oi' });
  assert.ok(conversation.id);
  const options = { path: '/profile', permissions: ['notifications'] };
  const { page, complaints, close } = await openConsole(platform, browser, options);
  const field = page.getByLabel('Name', { exact: true });
  const save = page.getByRole('button', { name: 'Save', exact: true }).first();
  await field.fill('');
  await save.click();
  await field.and(page.locator('[aria-invalid=true]')).waitFor();
  await field.fill('Bia Reis');
  await save.click();
  await page.getByText('Bia Reis ·').waitFor();

  const chooser = page.locator('input[type=file]');
  await chooser.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
  await page.getByText('cannot read this file as a picture').first().waitFor();
  await chooser.setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: TALL_PNG });
  const menuPicture = page.getByRole('button', { name: 'Account' }).locator('img');
  await menuPicture.waitFor();
  const width = await page.evaluate(`document.querySelector('button[aria-label^="Account"] img').decode()
    .then(() => document.querySelector('button[aria-label^="Account"] img').naturalWidth)`);
  assert.equal(width, 192);
  assert.deepEqual(await findBarriers(page), []);
  const address = (await readUser('Bia Reis')).avatar_url;
  assert.match(address, /\/files\/.*\.jpg$/);

  await page.getByRole('link', { name: 'Users' }).click();
  await page
    .getByRole('row', { name: /Bia Reis/ })
    .locator('img')
    .waitFor();
  await page.goto(`${platform.url}/console/inbox/unassigned`);
  await page.getByRole('link', { name: /Maria Silva/ }).click();
  await page.getByRole('tab', { name: 'Note', exact: true }).click();
  await page.getByRole('textbox').last().fill('Liga amanhã');
  await page.keyboard.press('Enter');
  const note = page.getByRole('article').filter({ hasText: 'Liga amanhã' });
  await note.getByText('Bia Reis').waitFor();
  await note.locator('img').waitFor();

  await page.goto(`${platform.url}/console/profile`);
  // The browser is asked for its permission first, so the box is checked a moment after the click.
  const notices = page.getByLabel('Desktop notifications for new messages');
  await notices.click();
  await waitUntil('the permission of the browser', () => notices.isChecked());
  await page.getByLabel('Play a sound for new messages').check();
  await page.getByLabel('Language').selectOption('Português');
  await page.getByText('Nome e foto').waitFor();
  // Each load of a test's page chooses English again.
  await page.reload();
  assert.equal(await notices.isChecked(), true);
  assert.equal(await page.getByLabel('Play a sound for new messages').isChecked(), true);
  await page.getByRole('button', { name: 'Remove the picture' }).click();
  await menuPicture.waitFor({ state: 'detached' });
  assert.equal((await readUser('Bia Reis')).avatar_url, null);
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();

  // A viewer may upload no files, but has a picture.
  const viewer = await openConsole(platform, browser, { path: '/profile', role: 'VIEWER' });
  const picture = { name: 'me.png', mimeType: 'image/png', buffer: TALL_PNG };
  await viewer.page.locator('input[type=file]').setInputFiles(picture);
  await viewer.page.getByRole('button', { name: 'Account' }).locator('img').waitFor();
  assert.deepEqual(viewer.complaints(), []);
  await viewer.close();
});

test('a person changes and removes the signature of the own mails', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/profile', role: 'VIEWER' });
  const field = page.getByLabel('E-mail signature');
  const card = page.locator('section').filter({ has: field });
  const save = async (signature: string): Promise<void> => {
    await field.fill(signature);
    await card.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').last().waitFor();
    await waitUntil('the button to rest', async () => card.getByRole('button', { name: 'Save' }).isDisabled());
    await page.reload();
    await waitUntil('the stored signature', async () => (await field.inputValue()) === signature);
  };
  await save('Bia\nSales');
  assert.deepEqual(await findBarriers(page), []);
  await save('');
  assert.deepEqual(complaints(), []);
  await close();
});

test('a person whose picture does not load is shown by the initials of the name', async () => {
  const { _id } = await platform.createUser(platform.demo._id, 'VIEWER', 'Rui Moreira');
  for (const avatar_url of [`${platform.url}/files/gone`, 'https://[/files/a.png', 'https://pictures.example/a.png']) {
    await platform.database.sql('update users set avatar_url = $2 where _id = $1', [_id, avatar_url]);
    const { page, close } = await openConsole(platform, browser, { path: '/users' });
    const row = page.getByRole('row', { name: /Rui Moreira/ });
    await row.locator('[data-initials=RM]').waitFor();
    assert.equal(await row.locator('img').count(), 0);
    await close();
  }
});
