/** Satisfaction surveys in the console: an inbox asks, and the answer is in the conversation and in the reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';
import { sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, demo } = platform;
const browser = await startBrowser();

test('an inbox asks for ratings, and each is shown in its open conversation as it arrives, and in the reports', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${demo.inbox}` });
  await page.getByRole('checkbox', { name: 'Ask contacts for a rating' }).focus();
  await page.keyboard.press('Space');
  const question = page.getByRole('textbox', { name: 'Question' });
  assert.equal(await question.inputValue(), 'How satisfied are you with our service?');
  await question.fill('Were you satisfied?');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { body: inbox } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}`);
  assert.equal(inbox.csat_question, 'Were you satisfied?');

  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  await sendText(platform, conversation._id);
  await page.goto(`${platform.url}/console/inbox/all/${conversation._id}`);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('Not rated yet').waitFor();
  const [survey] = (await call(200, 'GET', `/v1/csat-surveys?conversation=${conversation._id}`)).body.result;
  const button_reply = { id: `csat:${survey._id}:3`, title: 'Okay' };
  await platform.sandbox('POST', '/sandbox/inbound', {
    from,
    raw: { type: 'interactive', interactive: { type: 'button_reply', button_reply } },
  });
  await page.getByRole('img', { name: '3 of 5' }).waitFor();

  await page.goto(`${platform.url}/console/reports`);
  await page.getByRole('definition').filter({ hasText: 'of 5 · 1 of 1 rated' }).waitFor();
  const ratings = page.getByRole('region', { name: 'Latest ratings' });
  await ratings.getByRole('img', { name: '3 of 5' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await ratings.getByRole('link', { name: 'Open conversation' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: '3 of 5' }).waitFor();
  assert.ok(page.url().endsWith(`/inbox/all/${conversation._id}`));
  assert.deepEqual(complaints(), []);
  await close();
});
