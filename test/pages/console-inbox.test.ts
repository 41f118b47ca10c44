/** What people do with conversations in the inbox of the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, demo } = platform;

test('what happens to a conversation appears between its messages by itself, with who did it', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Bom dia' });
  const path = `/v1/conversations/${conversation._id}`;
  const { token: key, _id: rui } = await platform.createUser(demo._id, 'OPERATOR', 'Rui Costa');
  await call(200, 'PATCH', path, { key, body: { owner: rui } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const log = page.getByRole('log');
  await log.getByText('Assigned to Rui Costa · by Rui Costa').waitFor();
  await call(200, 'PATCH', path, { key, body: { status: 'CLOSED', tags: ['vip'] } });
  await log.getByText('Closed · Tag vip added · by Rui Costa').waitFor();
  await page.getByRole('button', { name: 'Open again' }).click();
  await log.getByText(/^Opened again · by/).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});
