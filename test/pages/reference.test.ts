/** The reference of the API, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, startBrowser } from '../support/browser.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('the reference shows an operation with its schemas, calls no other host and obeys the content policy', async () => {
  const { page, complaints, requests } = await openPage(browser);
  await page.goto(`${platform.url}/docs/api`);
  await page.getByRole('heading', { name: /^Parley/ }).waitFor();
  await page.getByText('/v1/inboxes/{id}', { exact: true }).first().click();
  await page.getByRole('heading', { name: 'Responses' }).first().waitFor();
  for (const url of requests) assert.equal(new URL(url).origin, platform.url);
  assert.deepEqual(complaints, []);
});
