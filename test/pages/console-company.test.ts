/** The journey of somebody who sets up the company: by mouse, by keyboard, in two tabs, and as somebody who may only look. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { readPhone } from '../../src/platform/values/phone.ts';
import { findPhoneExample } from '../../web/console/screens/company/phone-example.ts';
import { listCountries } from '../../web/console/texts/countries.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const address = `/v1/companies/${platform.demo._id}`;

const readCompany = async (): Promise<Json> => (await platform.call(200, 'GET', address)).body;
const change = (body: Json, key?: string): Promise<unknown> =>
  platform.call(200, 'PATCH', address, { body, ...(key !== undefined && { key }) });
const findSave = (page: Page): Locator => page.getByRole('button', { name: 'Save', exact: true });
/** The bodies of the changes that the page sends. */
function listChanges(page: Page): unknown[] {
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postDataJSON());
  });
  return sent;
}

test('what somebody changes is sent and nothing else, a field that is refused says why, and what is not saved is not lost', async () => {
  await change({ general_config: { country: null } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/company' });
  const sent = listChanges(page);
  const country = page.getByLabel('Country');
  await page.getByText('Imports need it to read phone numbers').waitFor();
  assert.equal(await findSave(page).isDisabled(), true);
  await country.selectOption({ label: 'Brazil' });
  await page.getByText('(11) 96123-4567 is read as +55 11 96123 4567').waitFor();
  await page.getByText('Unsaved changes').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await findSave(page).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  assert.deepEqual(sent, [{ general_config: { country: 'BR' } }]);

  const site = page.getByLabel('Website');
  await site.fill('bakery');
  await page.getByLabel('Registration document').selectOption('CNPJ');
  await findSave(page).click();
  await site.and(page.locator('[aria-invalid=true]')).waitFor();
  const question = page.waitForEvent('dialog');
  const reload = page.evaluate('setTimeout(() => location.reload())');
  const asked = await question;
  assert.equal(asked.type(), 'beforeunload');
  await asked.dismiss();
  await reload;
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await page.getByRole('link', { name: 'Company', exact: true }).click();
  assert.deepEqual(
    [await site.inputValue(), await page.getByLabel('Registration document').inputValue()],
    ['bakery', 'CNPJ'],
  );
  await site.fill('https://bakery.example');
  await findSave(page).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const document = { document_type: 'CNPJ', document_number: (await readCompany()).document_number };
  assert.deepEqual(sent.at(-1), { site: 'https://bakery.example', ...document });
  await page.getByLabel('Document number').fill('11.222.333/0001-81');
  await findSave(page).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  assert.deepEqual(sent.at(-1), { document_type: 'CNPJ', document_number: '11.222.333/0001-81' });
  await page.getByLabel('Name', { exact: true }).fill('Other');
  await page.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), (await readCompany()).name);
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});

test('the keyboard alone opens the screen, chooses a country and a time zone, and saves', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/users' });
  await page.getByRole('heading', { name: 'Users' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Company', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('y');
  const country = page.getByLabel('Country');
  await country.focus();
  await page.keyboard.type('Portugal');
  await page.getByText('912 345 678 is read as +351 912 345 678').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Lisbon');
  assert.equal(await page.getByLabel('Time zone').inputValue(), 'Europe/Lisbon');
  const name = page.getByLabel('Name', { exact: true });
  await name.focus();
  await page.keyboard.type('!');
  await page.keyboard.press('Enter');
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  const { name: saved, general_config } = await readCompany();
  assert.deepEqual(
    [saved.endsWith('!'), general_config.country, general_config.time_zone],
    [true, 'PT', 'Europe/Lisbon'],
  );
  assert.deepEqual(complaints(), []);
  await close();
});

test('a change in one tab is shown in another one, where fields that somebody has changed there stay', async () => {
  const { page, close } = await openConsole(platform, browser, { path: '/company' });
  const other = await page.context().newPage();
  await other.goto(`${platform.url}/console/company`);
  await other.getByLabel('Document number').fill('12.345');
  await page.getByLabel('Name', { exact: true }).fill('Aurora Bakery');
  await page.getByLabel('Document number').fill('67.890');
  await findSave(page).click();
  await waitUntil(
    'the new name',
    async () => (await other.getByLabel('Name', { exact: true }).inputValue()) === 'Aurora Bakery',
  );
  assert.equal(await other.getByLabel('Document number').inputValue(), '12.345');

  // A change of somebody else is read when the page is looked at again, and every half minute.
  await change({ site: 'https://aurora.example' });
  await other.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await waitUntil(
    'the new site',
    async () => (await other.getByLabel('Website').inputValue()) === 'https://aurora.example',
  );
  assert.equal(await other.getByLabel('Document number').inputValue(), '12.345');
  await close();
});

test('a reading that began before a change was saved does not bring the old values back', async (t) => {
  const { page, close } = await openConsole(platform, browser, { path: '/company' });
  t.after(close);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Bakery of the corner');
  const [begun, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**${address}`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    begun.resolve();
    await saved.promise;
    return route.fulfill({ response });
  });
  const late = page.waitForResponse((answer) => answer.url().endsWith(address) && answer.request().method() === 'GET');
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await begun.promise;
  await findSave(page).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  saved.resolve();
  await (await late).finished();
  // The page works on what it was answered before it runs this.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  assert.equal(await name.inputValue(), 'Bakery of the corner');
});

test('storage is shown with its limit, and a company without a limit has none', async () => {
  const { page, close } = await openConsole(platform, browser, { path: '/company' });
  await page.getByText(/, no limit$/).waitFor();
  await change({ limits: { stored_bytes: 1 } }, platform.globalKey);
  await page.reload();
  await page.getByRole('meter', { name: 'Used storage' }).waitFor();
  await page.getByText(/ of 1 byte \(/).waitFor();
  await page.getByText('The limit is reached.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await change({ limits: { stored_bytes: null } }, platform.globalKey);
  await close();
});

test('who may only read the company sees it, copies its id, and cannot change it; without that right there is no such screen', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: '/company',
    role: 'VIEWER',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.getByText('Only owners and admins can change').waitFor();
  assert.equal(await page.getByLabel('Name', { exact: true }).isDisabled(), true);
  assert.equal(await findSave(page).count(), 0);
  await page.getByRole('button', { name: 'Copy: Company ID' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), platform.demo._id);
  assert.deepEqual(await findBarriers(page), []);

  // Every role may read the company, so the page is told of a session without that right.
  await page.addInitScript(`
    const { fetch } = globalThis;
    globalThis.fetch = async (request, ...rest) => {
      const answer = await fetch(request, ...rest);
      if (!answer.url.endsWith('/v1/auth/me')) return answer;
      const me = await answer.json();
      return Response.json({ ...me, scopes: me.scopes.filter((scope) => scope !== 'companies:read') });
    };
  `);
  await page.reload();
  await page.getByText('Page not found').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Users' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Company', exact: true }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the example of each country is read by the platform as the screen says', () => {
  const countries = listCountries('pt-BR', '');
  assert.ok(countries.some(({ value, label }) => value === 'BR' && label === 'Brasil'));
  const wrong = countries.filter(({ value: code }) => {
    const example = findPhoneExample(code);
    const read = example && readPhone(example.local, code);
    return read && (!('phone_number' in read) || read.phone_number !== example.international.replaceAll(/[^+\d]/g, ''));
  });
  assert.deepEqual(wrong, []);
  assert.ok(countries.every(({ value }) => findPhoneExample(value) !== null));
});
