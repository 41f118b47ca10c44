/** Business hours in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, demo } = platform;
const read = async (path: string): Promise<Json> => (await call(200, 'GET', path)).body;

test('business hours with a holiday are created by keyboard, corrected, given to an inbox with an away text, and removed', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/business-hours' });
  await page.getByRole('button', { name: 'New business hours' }).press('Enter');
  const form = findDialog(page);
  await form.getByLabel('Name', { exact: true }).fill('Shop');
  await form.getByLabel('Time zone').waitFor();
  assert.equal(
    await form.getByLabel('Time zone').inputValue(),
    'America/Sao_Paulo',
    "the company's, not the browser's",
  );
  const christmas = `${new Date().getFullYear() + 1}-12-25`;
  await form.getByLabel('Saturday').fill('9-late');
  await form.getByRole('button', { name: 'Add a date' }).press('Enter');
  await form.getByLabel('Date', { exact: true }).fill(christmas);
  await form.getByLabel('What it is').fill('Christmas');
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  await form.getByText('must be a time of the day').waitFor();
  await form.getByLabel('Saturday').fill('9-12');
  assert.deepEqual(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Create' }).press('Enter');
  await page
    .getByRole('row', {
      name: new RegExp(`Shop Mon–Fri 09:00-18:00 · Sat 09:00-12:00 .* 1, next Dec 25, ${christmas.slice(0, 4)}`),
    })
    .waitFor();
  const [hours] = (await read('/v1/business-hours')).result;
  assert.deepEqual(
    [hours.time_zone, hours.days.length, hours.special_dates],
    ['America/Sao_Paulo', 6, [{ date: christmas, name: 'Christmas', spans: [] }]],
  );

  await page.goto(`${platform.url}/console/inboxes/${demo.inbox}`);
  await page.getByLabel('Business hours').selectOption('Shop');
  await page.getByLabel('Away text').fill('We are closed now.');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const inbox = await read(`/v1/inboxes/${demo.inbox}`);
  assert.deepEqual([inbox.business_hours, inbox.away_text], [hours._id, 'We are closed now.']);

  await page.goto(`${platform.url}/console/business-hours`);
  await page.getByRole('row', { name: /Shop/ }).click();
  await form.getByRole('button', { name: 'Remove', exact: true }).click();
  await form.getByText('will always be open').waitFor();
  await form.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByText('No business hours yet').waitFor();
  assert.equal((await read(`/v1/inboxes/${demo.inbox}`)).business_hours, null);
  // The hours that could not be read.
  assert.deepEqual(complaints(), ['Failed to load resource: the server responded with a status of 400 (Bad Request)']);
  await close();
});
