/** Forms that fill a screen of the console: leaving one loses nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, demo } = platform;
const create = async (path: string, body: Json): Promise<string> => (await call(201, 'POST', path, { body })).body._id;

const rule = await create('/v1/rules', { name: 'Refunds', event: 'MESSAGE_RECEIVED', actions: { priority: 'HIGH' } });
const agent = await create('/v1/agents', { name: 'Olga', type: 'AI' });
const text = await create('/v1/knowledge/autcl', { name: 'Hours', content: 'Open from nine to six.' });
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

/** The screen of each form, a field of it, and where the field is stored. */
const FORMS = [
  { screen: `/inboxes/${demo.inbox}`, label: 'Name', stored: `/v1/inboxes/${demo.inbox}`, field: 'name' },
  { screen: `/rules/${rule}`, label: 'Name', stored: `/v1/rules/${rule}`, field: 'name' },
  { screen: `/agents/${agent}`, label: 'Name', stored: `/v1/agents/${agent}`, field: 'name' },
  { screen: `/knowledge/${text}`, label: 'Name', stored: `/v1/knowledge/${text}`, field: 'name' },
  { screen: '/company', label: 'Name', stored: `/v1/companies/${demo._id}`, field: 'name' },
  { screen: '/profile', label: 'E-mail signature', stored: null, field: 'signature' },
];

for (const { screen, label, stored, field } of FORMS) {
  test(`what is typed on ${screen.replaceAll(/[0-9a-f]{24}/g, '…')} is kept while other screens are open, until it is saved or discarded`, async () => {
    const { page, complaints, close } = await openConsole(platform, browser, { path: screen });
    const input = page.getByRole('main').getByLabel(label, { exact: true }).first();
    const before = await input.inputValue();
    await input.fill('Typed and not saved');
    await page.getByText('Unsaved changes').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('navigation').getByRole('link', { name: 'Contacts' }).first().click();
    await page.getByRole('heading', { name: 'Contacts' }).first().waitFor();
    await page.goBack();
    await page.getByText('Unsaved changes').waitFor();
    assert.equal(await input.inputValue(), 'Typed and not saved');
    await page.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    assert.equal(await input.inputValue(), before);
    await input.fill('Saved');
    await page.getByRole('button', { name: 'Save', exact: true }).last().click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    assert.equal(await input.inputValue(), 'Saved');
    if (stored !== null) assert.equal((await read(stored))[field], 'Saved');
    assert.deepEqual(complaints(), []);
    await close();
  });
}

test('a new rule is kept while another screen is open, and a created one leaves an empty form', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/rules/new' });
  const name = page.getByRole('main').getByLabel('Name', { exact: true });
  await name.fill('Spam');
  await page.getByRole('button', { name: 'Add an action' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Add tags' }).press('Enter');
  await page.getByRole('textbox', { name: 'Add tags' }).fill('spam');
  await page.getByRole('button', { name: 'Condition', exact: true }).press('Enter');
  await waitUntil('the focus in the condition', () =>
    page.evaluate<boolean>('document.activeElement.closest("[data-condition]") !== null'),
  );
  await page.locator('[data-condition] input').fill('lottery');
  await page.getByRole('navigation').getByRole('link', { name: 'Contacts' }).first().click();
  await page.getByRole('heading', { name: 'Contacts' }).first().waitFor();
  await page.goBack();
  await page.getByText('Unsaved changes').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Add tags' }).inputValue(), 'spam');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Spam' }).waitFor();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Back' }).press('Enter');
  await page.getByRole('button', { name: 'New rule' }).press('Enter');
  // The button is gone, so the keys go on at the heading.
  await waitUntil('the focus at the heading', () =>
    page.evaluate<boolean>('document.activeElement.textContent === "New rule" && document.activeElement.matches("h1")'),
  );
  assert.equal(await name.inputValue(), '');
  assert.deepEqual(complaints(), []);
  await close();
});
