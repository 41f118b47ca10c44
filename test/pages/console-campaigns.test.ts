/** The journeys of people who send campaigns from the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { countParts } from '../../web/console/screens/campaigns/report/parts.ts';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { makePhoneNumber, waitUntilCopied } from '../support/network.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const { call, demo } = platform;
await waitUntilCopied(platform, demo.inbox);
const browser = await startBrowser();

const addContact = async (body: Json): Promise<Json> =>
  (await call(201, 'POST', '/v1/contacts', { body: { phone_number: makePhoneNumber(), ...body } })).body;
const addCampaign = async (body: Json): Promise<Json> =>
  (await call(201, 'POST', '/v1/campaigns', { body: { inbox: demo.inbox, ...body } })).body;
const steps = [{ template: { name: 'hello_world', language: 'pt_BR' } }];

test('a campaign is made in the wizard with the time zone of the company, started, paused and resumed, and its numbers and causes appear without a reload', async () => {
  await call(201, 'POST', '/v1/custom-fields', {
    body: { slug: 'city', title: 'City', context: 'contact', type: 'TEXT' },
  });
  const custom_fields = { city: 'Recife' };
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => addContact({ name: `Client ${n}`, tags: ['spring'], custom_fields })),
  );
  const lia = await addContact({ name: 'Lia Prado', tags: ['spring'], opted_out: true, custom_fields });
  await addContact({ name: 'Rui Costa', tags: ['spring'], custom_fields: { city: 'Olinda' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/campaigns' });
  const next = page.getByRole('button', { name: 'Next' });
  const dialog = findDialog(page);
  await page.getByRole('button', { name: 'New campaign' }).click();
  await dialog.getByLabel('Name').fill('Spring');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await next.click();
  const { time_zone } = (await call(200, 'GET', `/v1/companies/${demo._id}`)).body.general_config;
  const [draft] = (await call(200, 'GET', '/v1/campaigns?search=Spring')).body.result;
  assert.equal(draft.time_zone, time_zone);
  assert.notEqual(time_zone, await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'));
  await page.getByRole('textbox', { name: 'Tags' }).fill('spring');
  await page.getByText('31 contacts of 32 would get a message now.').waitFor();
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await dialog.getByLabel('Field').selectOption('City');
  await dialog.getByLabel('Condition').selectOption('is');
  await dialog.getByLabel('Value').fill('Recife');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('30 contacts of 31 would get a message now.').waitFor();
  await page.getByText('1 skipped: Opted out').waitFor();
  assert.deepEqual(await findBarriers(page), []);

  await page.getByRole('button', { name: 'Check and start' }).click();
  await page.getByText('The campaign has no message yet.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Start the campaign' }).isDisabled());
  await page.getByRole('button', { name: 'To “Messages”' }).click();
  await page.getByRole('button', { name: 'Choose a template' }).click();
  await dialog.getByRole('button', { name: /order_update · pt_BR/ }).click();
  await dialog.getByLabel('Value 1 comes from').selectOption('First name');
  await dialog.getByRole('textbox', { name: 'Value 2' }).fill('4821');
  await dialog.getByText('Oi, First name! O seu pedido 4821 saiu para entrega.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Oi, Client! O seu pedido *4821* saiu para entrega.').first().waitFor();
  await next.click();
  await page.getByLabel('Messages per minute, at most').fill('20');
  assert.deepEqual(await findBarriers(page), []);
  await next.click();
  await page.getByRole('button', { name: 'Start the campaign' }).click();
  await dialog.getByText('30 contacts get one').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Start the campaign' }).click();

  await page.getByText(/^Sent to [1-9]\d* of 31 contacts$/).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused manually.').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Messages per minute, at most').fill('6000');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Sent to 30 of 31 contacts').waitFor();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'Delivered 30 100%' }).waitFor();
  await page.getByRole('row', { name: 'Opted out 1' }).waitFor();
  await page.getByRole('img', { name: /Over time\. Sent: 30/ }).waitFor();
  await page.getByRole('button', { name: 'Show as a table' }).click();
  await page.getByRole('region', { name: 'Over time' }).getByRole('cell', { name: '30' }).first().waitFor();
  assert.deepEqual(await findBarriers(page), []);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export the contacts' }).click();
  assert.match(await readFile(await (await download).path(), 'utf8'), /Lia Prado/);

  await page.getByLabel('Status').selectOption('Skipped');
  await page.getByRole('row', { name: /Lia Prado.*Opted out/ }).press('Enter');
  await page.getByRole('link', { name: 'Go to the contact' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('link', { name: 'Go to the contact' }).click();
  await page.getByRole('heading', { name: 'Lia Prado' }).waitFor();
  assert.ok(page.url().endsWith(`/contacts/${lia._id}`));
  assert.deepEqual(complaints(), []);
  await close();
});

test('a draft that was left half-way is continued where it was, and what the platform refuses is said at its field', async () => {
  await addContact({ name: 'Davi Reis' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/templates' });
  // The list of an inbox's templates and the choice of a template keep different answers.
  await page.getByRole('row', { name: /order_update pt_BR/ }).waitFor();
  await page.getByRole('link', { name: 'Campaigns' }).click();
  await page.getByRole('button', { name: 'New campaign' }).click();
  await findDialog(page).getByLabel('Name').fill('Half');
  await findDialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Description').fill('Everybody who asked for it');
  await page.getByRole('button', { name: 'Contacts', exact: true }).click();
  await page.getByRole('button', { name: 'Add a contact' }).click();
  await page.getByRole('searchbox').fill('Davi');
  await page.getByRole('button', { name: /Davi Reis/ }).click();
  await page.getByText('1 contact of 1 would get a message now.').waitFor();
  await page.getByRole('button', { name: 'Add the contacts of a sheet' }).click();
  const dialog = findDialog(page);
  const sheet = `telefone,nome,cupom\n${makePhoneNumber()},Eva Luz,A1\n${makePhoneNumber()},Ana Reis,A2\n12,Nobody,A3\n`;
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet) });
  await dialog.getByText('Columns: telefone, nome, cupom').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Add the contacts' }).click();
  await dialog.getByText('2 of 3 contacts were added.').waitFor();
  await dialog.getByRole('row', { name: /^3 12/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('3 contacts of 3 would get a message now.').waitFor();

  await page.getByRole('button', { name: 'Messages', exact: true }).click();
  await page.getByRole('button', { name: 'Choose a template' }).click();
  await dialog.getByRole('button', { name: /order_update · pt_BR/ }).click();
  await dialog.getByLabel('Value 1 comes from').selectOption('First name');
  await dialog.getByLabel('Value 2 comes from').selectOption('A column of the sheet');
  await dialog.getByLabel('Title of the column of Value 2').fill('Cupom');
  await dialog.getByLabel('Value 2 for contacts without it').fill('A0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Oi, Eva! O seu pedido *A1* saiu para entrega.').waitFor();
  await page.getByText('Oi, Davi! O seu pedido *A0* saiu para entrega.').waitFor();
  await page.getByRole('button', { name: 'Time and pace' }).click();
  await page.getByRole('checkbox', { name: 'Start at a set time' }).check();
  await page.getByLabel('Time zone').selectOption('America/Sao_Paulo');
  await page.getByLabel('Start time').fill('2030-01-15T09:30');
  await page.getByRole('checkbox', { name: 'Send only at certain hours' }).check();
  await page.getByLabel('To', { exact: true }).fill('08:00');
  await page.getByText('must be later than').waitFor();
  await page.getByText('Not saved yet.').waitFor();
  await page.getByLabel('To', { exact: true }).fill('17:00');
  // The page is left before the change is stored by itself.
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('row', { name: /Half.*Draft/ }).waitFor();
  const stored = await waitUntil('the last change to be stored', async () => {
    const { body } = await call(200, 'GET', '/v1/campaigns?search=half');
    return body.result[0].sending_hours?.to === '17:00' && body.result[0];
  });
  assert.deepEqual(
    [stored.scheduled_at, stored.time_zone, stored.description],
    ['2030-01-15T12:30:00.000Z', 'America/Sao_Paulo', 'Everybody who asked for it'],
  );

  await page.reload();
  await page.getByRole('row', { name: /Half.*Draft/ }).press('Enter');
  await page.getByRole('button', { name: 'Time and pace' }).click();
  assert.equal(await page.getByLabel('Start time').inputValue(), '2030-01-15T09:30');
  assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), '17:00');
  await page.getByRole('button', { name: 'Messages', exact: true }).click();
  await page.getByRole('button', { name: 'Edit: Message 1' }).click();
  assert.equal(await dialog.getByLabel('Title of the column of Value 2').inputValue(), 'Cupom');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Contacts', exact: true }).click();
  await page.getByRole('list', { name: 'Selected contacts' }).getByText('Davi Reis').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('heading', { name: 'Copy of Half' }).waitFor();
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});

test('one contact is taken out of a sequence, the campaign is ended after a question, and the list shows what others do', async () => {
  for (const name of ['Nina Neves', 'Olga Prado']) await addContact({ name, tags: ['summer'] });
  const later = steps.map((step) => ({ ...step, delay_minutes: 600 }));
  const campaign = await addCampaign({ name: 'Summer', steps: [...steps, ...later], audience: { tags: ['summer'] } });
  await addCampaign({ name: 'Autumn' });
  await call(201, 'POST', `/v1/campaigns/${campaign._id}/start`);
  await waitUntil('the first messages to be sent', async () => {
    const { body } = await call(200, 'GET', `/v1/campaigns/${campaign._id}`);
    return body.totals.sent === 2;
  });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/campaigns/${campaign._id}` });
  await page.getByRole('row', { name: /Nina Neves/ }).press('Enter');
  await page.getByRole('button', { name: 'Stop sending' }).click();
  await page.getByRole('button', { name: 'Yes, stop sending' }).click();
  await findDialog(page).waitFor({ state: 'detached' });
  const { body } = await call(200, 'GET', `/v1/campaign-enrollments?campaign=${campaign._id}`);
  const waiting = body.result.filter(({ next_run_at }: Json) => next_run_at !== null);
  assert.deepEqual([body.result.length, waiting.length], [2, 1]);

  await page.getByRole('row', { name: /Nina Neves/ }).press('Enter');
  await page.getByRole('link', { name: 'Go to the conversation' }).click();
  await page.getByRole('button', { name: 'Contact details' }).click();
  await page.getByRole('link', { name: 'The campaign of this conversation' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('log').getByRole('link', { name: 'Campaign' }).click();
  await page.getByRole('button', { name: 'End the campaign' }).click();
  const dialog = findDialog(page);
  await dialog.getByText('cannot be resumed').waitFor();
  await dialog.getByRole('button', { name: 'End the campaign' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByLabel('Status').selectOption('Cancelled');
  await page.getByRole('row', { name: /Autumn/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Summer.*Cancelled.*2 of 2 sent/ }).waitFor();
  await page.getByLabel('Status').selectOption('All statuses');
  const carnival = await addCampaign({ name: 'Carnival' });
  await page.getByRole('row', { name: /Carnival.*Draft/ }).waitFor();
  await call(200, 'DELETE', `/v1/campaigns/${carnival._id}`);
  await page.getByRole('row', { name: /Carnival/ }).waitFor({ state: 'detached' });

  // A campaign that reaches nobody says so before and after its start.
  await addContact({ name: 'Rosa Dias', tags: ['silent'], opted_out: true });
  await addCampaign({ name: 'Silent', steps, audience: { tags: ['silent'] } });
  await page.getByRole('row', { name: /Silent.*Draft/ }).press('Enter');
  await page.getByRole('button', { name: 'Check and start' }).click();
  await page.getByRole('button', { name: 'Start the campaign' }).click();
  await dialog.getByText('No one would get a message').waitFor();
  await dialog.getByText('1 skipped: Opted out').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Start the campaign' }).click();
  await page.getByText('Nothing sent').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('row', { name: /Silent.*Nothing sent.*0 of 1 sent.*1 skipped: Opted out/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the contacts of a campaign are shown while it runs and after its end as they are then, without a press on “Refresh”', async () => {
  for (const name of ['Paula Reis', 'Quim Sousa']) await addContact({ name, tags: ['slow'] });
  const campaign = await addCampaign({ name: 'Slow', steps, audience: { tags: ['slow'] }, messages_per_minute: 1 });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/campaigns/${campaign._id}` });
  await page.getByRole('button', { name: 'Check and start' }).waitFor();
  await call(201, 'POST', `/v1/campaigns/${campaign._id}/start`);
  const row = (state: string) => page.getByRole('row', { name: new RegExp(`^(Paula Reis|Quim Sousa) ${state}`) });
  await row('(Sent|Delivered|Read)').waitFor();
  await row('Waiting').waitFor();
  await page.getByRole('button', { name: 'End the campaign' }).click();
  await findDialog(page).getByRole('button', { name: 'End the campaign' }).click();
  await row('Cancelled').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('what is wrong with a message is shown at the message in plain words, without a path of the API', async () => {
  const components = [{ parameters: [{ text: 'Ana' }, { text: '4821' }] }];
  const order = { template: { name: 'order_update', language: 'pt_BR', components } };
  const campaign = await addCampaign({ name: 'Faulty', steps: [...steps, order] });
  const setStatus = (status: string) =>
    platform.database.sql(`update templates set status = $1 where name = 'order_update'`, [status]);
  await setStatus('PENDING');
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/campaigns/${campaign._id}` });
  await page.getByRole('button', { name: 'Check and start' }).click();
  await page.getByText(/^Message 2: /).waitFor();
  assert.doesNotMatch(await page.getByRole('main').innerText(), /steps\[/);
  await setStatus('APPROVED');
  await page.getByRole('button', { name: 'To “Messages”' }).click();
  await page.getByRole('button', { name: 'Edit: Message 1' }).click();
  await findDialog(page).getByLabel('Wait after the start').fill('9999999');
  await findDialog(page).getByRole('button', { name: 'Save' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'Message 1' });
  await card
    .getByRole('alert')
    .getByText(/^must be /)
    .waitFor();
  assert.equal(await page.getByRole('alert').count(), 1);
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});

test('a viewer sees campaigns and changes nothing, and a draft is removed after a question', async () => {
  const draft = await addCampaign({ name: 'Winter' });
  const viewer = await openConsole(platform, browser, { path: `/campaigns/${draft._id}`, role: 'VIEWER' });
  await viewer.page.getByRole('heading', { name: 'Winter' }).waitFor();
  await viewer.page.getByText('Progress').waitFor();
  assert.equal(await viewer.page.getByRole('main').getByRole('button').count(), 0);
  await viewer.close();
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/campaigns/${draft._id}` });
  await page.getByRole('button', { name: 'Remove' }).click();
  await findDialog(page).getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Yes, remove' }).click();
  await page.getByRole('searchbox').waitFor();
  await page.getByRole('row', { name: /Winter/ }).waitFor({ state: 'detached' });
  await call(404, 'GET', `/v1/campaigns/${draft._id}`);
  assert.deepEqual(complaints(), []);
  await close();
});

test('nobody waits once a campaign is over: the outcome of what was on its way is unknown', () => {
  const numbers = { sent: 3, failed: 1, skipped: 0, cancelled: 0, pending: 16 };
  const count = (status: string): number[] => {
    const { unknown, pending } = countParts({ ...numbers, status });
    return [unknown, pending];
  };
  assert.deepEqual(
    [count('RUNNING'), count('COMPLETED'), count('CANCELLED')],
    [
      [0, 16],
      [16, 0],
      [16, 0],
    ],
  );
});
