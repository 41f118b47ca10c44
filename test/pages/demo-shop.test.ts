/** The sandbox's shop, whose page shows the web chat of the demo company, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';
import { followShop } from '../support/shop-page.ts';
import { findReceived } from '../support/widget.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('on the page of the demo shop a visitor writes to the demo company, and is answered from the console', async () => {
  const { page, complaints } = await openPage(browser, { locale: 'en-GB' });
  // The platform is still building the chat when the page is opened.
  let refusals = 2;
  await page.route('**/widget.js', (route) =>
    (refusals -= 1) < 0 ? route.continue() : route.fulfill({ status: 503 }),
  );
  await page.goto(`${platform.sandboxUrl}/demo`);
  const { chat, write, waitFor } = followShop(page);
  await page.getByRole('button', { name: 'Ask the bakery' }).click();
  await chat.getByText('Olá! Como podemos ajudar?').waitFor();
  await write('Is there bread on Sunday?');
  await findReceived(platform, 'Is there bread on Sunday?');

  const people = await openConsole(platform, browser, { path: '/inbox/all' });
  await people.page.getByRole('link').filter({ hasText: 'Is there bread on Sunday?' }).click();
  const field = people.page.getByLabel('Write a message');
  await field.fill('From six o’clock');
  // The visitor sees that somebody writes before the answer is there.
  await waitUntil('the visitor to see it', async () => {
    await field.pressSequentially('!');
    await field.press('Backspace');
    return chat.getByText(/typing…/).isVisible();
  });
  await field.press('Enter');
  await waitFor('From six o’clock');
  await chat.getByText('Seen').waitFor();
  await write('Thank you');
  await people.page.getByRole('log').getByText('Thank you').waitFor();
  await people.page.getByRole('article').filter({ hasText: 'From six' }).getByRole('img', { name: 'Read' }).waitFor();
  assert.deepEqual([...complaints, ...people.complaints()], []);
  assert.deepEqual(await findBarriers(page), []);
  await people.close();
});
