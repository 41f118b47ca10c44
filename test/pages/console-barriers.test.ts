/** Every screen of the console, as an owner with a few records sees it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { sendText, writeAsContact } from '../support/traffic.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const listed = readFileSync(new URL('../../web/console/frame/screens.ts', import.meta.url), 'utf8');
const paths = [...listed.matchAll(/^ {4}path: '([^']+)'/gm)].map(([, path = '']) => path);

const create = async (path: string, body: Json): Promise<Json> =>
  (await platform.call(201, 'POST', `/v1/${path}`, { body })).body;
const { conversation } = await writeAsContact(platform, { text: 'Where is my parcel?' });
await sendText(platform, conversation._id);
await create('sla-policies', { name: 'Usual', first_reply_minutes: 60 });
await create('teams', { name: 'Sales' });
await create('quick-replies', { title: 'Hours', shortcut: 'hours', content: 'We open at nine.' });
await create('campaigns', { name: 'Spring', inbox: platform.demo.inbox });
await create('tables', { name: 'Prices', columns: [{ key: 'price', title: 'Price', type: 'NUMBER' }] });

for (const [place, options] of [
  ['a wide window, dark', { theme: 'dark' }],
  ['a phone, light', { theme: 'light', viewport: { width: 390, height: 844 } }],
] as const)
  test(`no screen keeps people with impairments out (${place})`, async () => {
    assert.ok(paths.length > 20, `${paths.length} screens`);
    const { page, complaints, close } = await openConsole(platform, browser, options);
    const barriers: string[] = [];
    for (const path of [...paths, `inbox/all/${conversation._id}`, `contacts/${conversation.contact}`]) {
      await page.goto(`${platform.url}/console/${path}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
      barriers.push(...(await findBarriers(page)).map((barrier) => `${path}: ${barrier}`));
    }
    assert.deepEqual(barriers, []);
    assert.deepEqual(complaints(), []);
    await close();
  });
