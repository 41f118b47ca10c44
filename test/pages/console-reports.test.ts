/** Reports in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, openConsole } from '../support/console.ts';
import { findZoneAt } from '../support/daytime.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { call, database, demo } = platform;
// It is noon in the browser, so no day ends during a test.
const timezoneId = findZoneAt(12);
const [ana, bia] = await Promise.all([
  createPerson(platform, demo._id, 'OPERATOR'),
  createPerson(platform, demo._id, 'OPERATOR'),
]);
for (const [{ _id }, name] of [
  [ana, 'Ana Souza'],
  [bia, 'Bia Lima'],
] as const)
  await call(200, 'PATCH', `/v1/users/${_id}`, { body: { name } });
// On each of twenty days Ana opens the day with as many conversations as days have passed, and Bia answers the last one slowly.
await database.sql(
  `insert into report_facts (company_id, at, kind, total, inbox_id, user_id)
    select $1, now() - make_interval(days => day), f.kind, f.total, $2, f.user_id
    from generate_series(0, 19) day cross join lateral (values ('OPENED', 0, null), ('OPENED', 0, null),
      ('FIRST_REPLY', 250, $3), ('REPLIED', 250, $3), ('REPLIED', 30, $3), ('CLOSED', 12000, $3), ('REPLIED', 4000, $4)) f (kind, total, user_id)`,
  [demo._id, demo.inbox, ana._id, bia._id],
);

test('a report shows figures, charts and a comparison, and is limited and sorted by mouse', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/reports', timezoneId });
  await page.getByText(/of \d+ people online/).waitFor();
  const opened = page.getByRole('definition').filter({ hasText: '28' }).first();
  await opened.waitFor();
  await page.getByRole('img', { name: /^Conversations per day, .*Opened: 2 – 2. Closed: 1 – 1$/ }).waitFor();
  await page.locator('canvas').first().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  const names = () => page.getByRole('rowheader').allInnerTexts();
  await page.getByRole('button', { name: 'Ana Souza' }).waitFor();
  assert.deepEqual(await names(), ['Ana Souza', 'Bia Lima']);
  await page.getByRole('button', { name: 'Replies' }).click();
  assert.deepEqual(await names(), ['Bia Lima', 'Ana Souza']);
  await page.getByRole('button', { name: 'Bia Lima' }).click();
  assert.equal(await page.getByRole('combobox', { name: 'Show' }).inputValue(), `user:${bia._id}`);
  await page.getByRole('img', { name: /^Average waiting time/ }).waitFor();
  await page.getByRole('combobox', { name: 'Period' }).selectOption({ label: 'Last 7 days' });
  await page.getByRole('img', { name: /Replies: 1 – 1/ }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export the periods as CSV' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length, 8);
  await page.reload();
  await page.getByRole('img', { name: /Replies: 1 – 1/ }).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('a report is about the last calendar week or about days that are chosen, which a reload keeps', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/reports', timezoneId });
  const period = page.getByRole('combobox', { name: 'Period' });
  const countDays = async (): Promise<number> => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export the periods as CSV' }).click(),
    ]);
    return (await readFile(await file.path(), 'utf8')).trim().split('\r\n').length - 1;
  };
  const readOpened = () => page.getByRole('definition').first().innerText();
  await period.selectOption({ label: 'Last week' });
  await waitUntil('two a day', async () => (await readOpened()) === '14');
  assert.equal(await countDays(), 7);
  await period.selectOption({ label: 'Other dates' });
  const writeDay = (daysAgo: number): string =>
    new Date(Date.now() - daysAgo * 86_400_000).toLocaleDateString('sv', { timeZone: timezoneId });
  await page.getByLabel('From').fill(writeDay(4));
  await page.getByLabel('Until').fill(writeDay(2));
  await waitUntil('two a day', async () => (await readOpened()) === '6');
  assert.equal(await countDays(), 3);
  assert.deepEqual(await findBarriers(page), []);
  await page.reload();
  await waitUntil('two a day', async () => (await readOpened()) === '6');
  await page.getByLabel('Until').fill(writeDay(5));
  await page.getByText('Choose at most 365 days, the first one before the last.').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('keys alone open a report, change a chart to its table, and choose what is compared', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, {
    path: '/inbox',
    theme: 'dark',
    timezoneId,
  });
  await page
    .getByRole('heading', { level: 1 })
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Reports' }).waitFor();
  const chart = page.getByRole('region', { name: 'Conversations per day' });
  await chart.getByRole('tab', { name: 'Chart' }).focus();
  await page.keyboard.press('ArrowRight');
  await chart.getByRole('table').waitFor();
  assert.equal(await chart.getByRole('row').count(), 15);
  await page.getByRole('combobox', { name: 'Compare' }).selectOption({ label: 'Inboxes' });
  // The table of users is shown until that of the inboxes has been read.
  await page.getByRole('region', { name: 'Inboxes' }).waitFor();
  await page.getByRole('button', { name: 'First response' }).press('Enter');
  await page.getByRole('columnheader', { name: 'First response' }).waitFor();
  assert.equal(
    await page.getByRole('columnheader', { name: 'First response' }).getAttribute('aria-sort'),
    'descending',
  );
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});
