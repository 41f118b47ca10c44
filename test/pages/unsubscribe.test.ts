/** The page behind the link by which the reader of a mail unsubscribes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOptOutLink } from '../../src/features/opt-outs/links.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { findBarriers } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const { call, demo } = platform;
const browser = await startBrowser();

test('a reader unsubscribes with the button of the page, also without a script, and the page says that it is done', async () => {
  const { body: contact } = await call(201, 'POST', '/v1/contacts', { body: { email: 'rui@client.example' } });
  const link = makeOptOutLink(platform.running.kit, { company: demo._id, contact: contact._id });
  const { page, complaints } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(link);
  await page.getByRole('heading', { name: 'Não quer mais receber mensagens?' }).waitFor();
  assert.equal((await call(200, 'GET', `/v1/contacts/${contact._id}`)).body.opted_out, false);
  await page.getByRole('button', { name: 'Cancelar o recebimento' }).click();
  await page.getByRole('heading', { name: 'Recebimento cancelado' }).waitFor();
  assert.equal((await call(200, 'GET', `/v1/contacts/${contact._id}`)).body.opted_out, true);
  assert.deepEqual(complaints, []);
  await page.context().close();
  const scripted = await openPage(browser);
  await scripted.page.goto(link);
  await scripted.page.getByRole('status').waitFor();
  assert.deepEqual(await findBarriers(scripted.page), []);
  await scripted.page.context().close();
});
