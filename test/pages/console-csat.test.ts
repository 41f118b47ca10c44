/** Satisfaction surveys in the console: an inbox asks, and the answer is in the conversation and in the reports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { makePhoneNumber } from '../support/network.ts';
import { startPlatform } from '../support/platform.ts';
import { sendText, silenceNetwork, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const browser = await startBrowser();

test('an inbox asks for ratings, and each is shown in its open conversation as it arrives, and in the reports', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${demo.inbox}` });
  await page.getByRole('checkbox', { name: 'Ask contacts for a rating' }).focus();
  await page.keyboard.press('Space');
  const question = page.getByRole('textbox', { name: 'Question' });
  assert.equal(await question.inputValue(), 'Como você avalia o nosso atendimento?');
  await page.getByText('The buttons below it are in the language of the company: Português.').waitFor();
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

test('a rating that arrives keeps the further ratings in the reports, and a failed read says so', async () => {
  const agent = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' } })).body._id;
  const ask = async (): Promise<{ from: string; survey: string }> => {
    const from = makePhoneNumber();
    const { _id } = (await writeAsContact(platform, { from })).conversation;
    await sendText(platform, _id);
    await call(200, 'PATCH', `/v1/conversations/${_id}`, { body: { status: 'CLOSED' } });
    const survey = await waitUntil('the survey', async () => {
      const { result } = (await call(200, 'GET', `/v1/csat-surveys?conversation=${_id}`)).body;
      return result[0]?._id;
    });
    return { from, survey };
  };
  const rate = ({ from, survey }: { from: string; survey: string }): Promise<unknown> => {
    const button_reply = { id: `csat:${survey}:5`, title: 'Good' };
    const raw = { type: 'interactive', interactive: { type: 'button_reply', button_reply } };
    return platform.sandbox('POST', '/sandbox/inbound', { from, raw });
  };
  const asked = [];
  for (let count = 0; count < 12; count += 1) asked.push(await ask());
  const last = asked.pop() ?? assert.fail();
  await Promise.all(asked.map(rate));
  await waitUntil('the ratings', async () => {
    const { result } = (await call(200, 'GET', '/v1/csat-surveys?rated=true&limit=50')).body;
    return result.length >= asked.length;
  });
  await database.sql('update csat_surveys set agent_id = $1, user_id = null where _id = $2', [agent, last.survey]);
  const { page, close } = await openConsole(platform, browser, { path: '/reports' });
  const ratings = page.getByRole('region', { name: 'Latest ratings' });
  await ratings.getByRole('button', { name: 'Show more' }).click();
  await ratings.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  const count = await ratings.getByRole('listitem').count();
  assert.ok(count > 10);
  await rate(last);
  await ratings.getByRole('listitem').filter({ hasText: 'Ana' }).waitFor();
  assert.equal(await ratings.getByRole('listitem').count(), count + 1);
  await page.route(/\/v1\/csat-surveys/, (route) => route.fulfill({ status: 400, json: {} }));
  await page.reload();
  await ratings.getByRole('alert').waitFor();
  await page.unroute(/\/v1\/csat-surveys/);
  await ratings.getByRole('button', { name: 'Try again' }).click();
  await ratings.getByRole('listitem').first().waitFor();
  await close();
});
