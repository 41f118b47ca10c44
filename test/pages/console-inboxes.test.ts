/** The journeys of people who connect the company's numbers in the console. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { openSite, visit } from '../support/web-chat.ts';

const platform = await startPlatform();
const browser = await startBrowser();

const IDS = { phone_number_id: '700000000000001', waba_id: '700000000000002', business_id: '2' };
const TOKEN = 'token-of-the-sales-number';

test('a number is connected step by step, with a wrong token corrected and a slow network waited for, and then set up', async () => {
  await platform.sandbox('POST', '/sandbox/accounts', { ...IDS, token: TOKEN });
  const ana = await platform.createUser(platform.demo._id, 'OPERATOR', 'Ana Souza');
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = findDialog(page);
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: /^WhatsApp A business number/ }).click();
  assert.equal(
    await dialog.getByRole('textbox', { name: 'Callback address' }).inputValue(),
    `${platform.url}/hooks/wap`,
  );
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByLabel('Name').fill('Sales');
  await dialog.getByLabel('Number', { exact: true }).fill('+55 11 91234-5678');
  await dialog.getByLabel('Phone number ID').fill(IDS.phone_number_id);
  await dialog.getByLabel('WhatsApp business account ID').fill(IDS.waba_id);
  await dialog.getByLabel('Business portfolio ID').fill(IDS.business_id);
  await dialog.getByLabel('Token of the system user').fill('wrong');
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByText('Invalid OAuth access token').waitFor();

  await platform.sandbox('PUT', '/sandbox/settings', { faults: { phone: [{ kind: 'http_500', times: null }] } });
  await dialog.getByRole('button', { name: 'Change connection data' }).click();
  await dialog.getByLabel('Token of the system user').fill(TOKEN);
  await dialog.getByRole('button', { name: 'Save and check' }).click();
  await dialog.getByText('The platform retries automatically').waitFor();
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { phone: [] } });
  const { body: inboxes } = await platform.call(200, 'GET', '/v1/inboxes?limit=1');
  const path = `/v1/inboxes/${inboxes.result[0]._id}`;
  const api_wap_config = { ...IDS, business_id: '3', business_token: TOKEN };
  await platform.call(200, 'PUT', path, { body: { api_wap_config } });
  await dialog.getByText('The network has accepted the inbox.').waitFor();
  await dialog.getByRole('link', { name: 'All settings' }).click();

  await page.getByLabel('Owner of new conversations').selectOption('Ana Souza');
  await page.getByLabel('Days in which the last conversation is reopened').fill('14');
  await page.getByRole('checkbox', { name: 'Add the operator’s name to messages' }).check();
  await page.getByRole('checkbox', { name: 'Test mode' }).check();
  await page.getByLabel('Test numbers').fill('nobody');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  await page.getByLabel('Test numbers').fill('+55 11 98888-0001\n+55 11 98888-0002\n');
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { body } = await platform.call(200, 'GET', path);
  assert.deepEqual(body.test_mode, { enabled: true, test_numbers: ['+55 11 98888-0001', '+55 11 98888-0002'] });
  assert.equal(body.reopen_days, 14);
  assert.deepEqual([body.default_owner, body.general_config.include_operator_name_on_message], [ana._id, true]);

  await page.getByRole('button', { name: 'Close the inbox' }).click();
  await page.getByRole('button', { name: /Close the inbox\?/ }).click();
  await page.getByText('It neither receives nor sends.').waitFor();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('The network has accepted the inbox.').waitFor();
  await page.getByRole('button', { name: 'All inboxes' }).click();
  await page.getByRole('row', { name: /Sales.*\+5511912345678.*Connected/ }).waitFor();
  // The browser reports each answer that is an error.
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await close();
});

test('an inbox shows when messages come and go, what fails and what the network thinks of its number, as it happens', async () => {
  const phone = { ...IDS, phone_number_id: '700000000000011', waba_id: '700000000000012', token: 'support-token' };
  await platform.sandbox('POST', '/sandbox/accounts', phone);
  const { token: business_token, ...ids } = phone;
  const body = {
    channel: 'WAP_AUTO_CLOSER',
    name: 'Support',
    number: '+5511933334444',
    api_wap_config: { ...ids, business_token },
  };
  const { body: inbox } = await platform.call(201, 'POST', '/v1/inboxes', { body });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inboxes/${inbox._id}` });
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Health' }) });
  const fact = (name: string) => card.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await fact('Last message received').getByText('None yet').waitFor();
  await fact('Quality of the number').getByText('High').waitFor();
  await fact('Daily limit').getByText('0 of 2,000 people').waitFor();

  const from = '5511988880777';
  await platform.receive({ phone_number_id: phone.phone_number_id, from, name: 'Rui', text: 'Oi' });
  await fact('Last message received').getByText('None yet').waitFor({ state: 'detached' });
  const { body: list } = await platform.call(200, 'GET', `/v1/conversations?search=${from}`);
  const send = { conversationId: list.result[0]._id, message: { contentType: 'TEXT', content: 'Oi, Rui' } };
  await platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ code: 131026, times: 1 }] } });
  await platform.call(201, 'POST', '/v1/messages/send-text', { body: send });
  await fact('Failed in the last 24 hours').getByText('The recipient cannot receive it').waitFor();
  await fact('Last message sent').getByText('None yet').waitFor();
  await platform.call(201, 'POST', '/v1/messages/send-text', { body: send });
  await fact('Last message sent').getByText('None yet').waitFor({ state: 'detached' });

  const rate = (change: object): Promise<Json> =>
    platform.sandbox('PATCH', '/sandbox/accounts', {
      phone_number_id: phone.phone_number_id,
      notify: true,
      ...change,
    });
  await rate({ quality_rating: 'RED', can_send_message: 'LIMITED' });
  await fact('Quality of the number').getByText('Low', { exact: true }).waitFor();
  await fact('Sending').getByText('Ask for a review in the manager of the account.').waitFor();
  await page.getByText('not every message is sent').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'All inboxes' }).click();
  const row = page.getByRole('row', { name: /Support/ });
  await row.getByText('Restricted').waitFor();
  await rate({ can_send_message: 'AVAILABLE' });
  await row.getByText('Low quality').waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('an operator sees the inboxes and changes nothing', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes', role: 'OPERATOR' });
  await page.getByRole('row', { name: /Sandbox phone/ }).press('Enter');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  assert.ok(await page.getByRole('checkbox', { name: 'Test mode' }).isDisabled());
  assert.equal(await page.getByRole('button', { name: /Save|Close the inbox|Change connection data/ }).count(), 0);
  await page.getByRole('button', { name: 'All inboxes' }).click();
  await page.getByRole('row', { name: /Sandbox phone/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Connect an inbox' }).count(), 0);
  assert.deepEqual(complaints(), []);
  await close();
});

test('a visitor of whom nothing is known has a short name in the list of conversations', async () => {
  const visitor = await visit(platform, await openSite(platform));
  const { _id } = await visitor.write('Good morning');
  const { body } = await platform.call(200, 'GET', `/v1/messages/${_id}`);
  const { page, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const name = `Visitor ${body.contact.slice(-4).toUpperCase()}`;
  await page.getByRole('link').filter({ hasText: 'Good morning' }).filter({ hasText: name }).waitFor();
  await close();
});

test('a web chat is made with its site, coloured, given questions and a secret, and its line of HTML is copied', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inboxes' });
  await page.getByRole('button', { name: 'Connect an inbox' }).click();
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: /^Web chat/ }).click();
  await dialog.getByLabel('Name').fill('Bakery chat');
  await dialog.getByLabel('Site addresses').fill('bakery.example');
  await dialog.getByRole('button', { name: 'Create the chat' }).click();
  await dialog
    .getByRole('alert')
    .filter({ hasText: /address of a site/ })
    .waitFor();
  await dialog.getByLabel('Site addresses').fill('https://bakery.example\n');
  await dialog.getByRole('button', { name: 'Create the chat' }).click();

  const snippet = page.getByLabel('Paste this into your pages', { exact: true });
  await snippet.waitFor();
  await page.getByText('The listed sites can show the chat.').waitFor();
  const [, inbox = ''] = /data-inbox="(\w+)"/.exec(await snippet.inputValue()) ?? [];
  await page.getByLabel('Colour').fill('#0b7a5e');
  await page.getByLabel('Position').selectOption('Left');
  await page.getByLabel('Welcome text').fill('Good morning!');
  await page.getByLabel('Quick replies').fill('Opening hours\nMy order');
  const preview = page.getByRole('figure', { name: 'Preview' });
  await preview.getByText('Good morning!').waitFor();
  await preview.getByText('Opening hours').waitFor();
  await page.getByLabel('E-mail', { exact: true }).selectOption('Required');
  await page.getByRole('checkbox', { name: 'The chat has office hours' }).check();
  await page.getByLabel('Time zone').selectOption('America/Recife');
  await page.getByLabel('Tuesday').fill('8-late');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('must be a time of the day').waitFor();
  await page.getByLabel('Tuesday').fill('08:00-12:00, 13:00-17:30');
  await page.getByRole('button', { name: 'Generate a new identity secret' }).click();
  const secret = await page.getByLabel('Identity secret', { exact: true }).inputValue();
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { body } = await platform.call(200, 'GET', `/v1/inboxes/${inbox}`);
  const { allowed_origins, color, position, welcome_text, quick_replies, questions, identity_secret, office_hours } =
    body.web_config;
  assert.deepEqual(
    { allowed_origins, color, position, welcome_text, quick_replies, questions },
    {
      allowed_origins: ['https://bakery.example'],
      color: '#0b7a5e',
      position: 'LEFT',
      welcome_text: 'Good morning!',
      quick_replies: ['Opening hours', 'My order'],
      questions: [{ kind: 'EMAIL', required: true }],
    },
  );
  const { time_zone, days } = office_hours;
  assert.equal(time_zone, 'America/Recife');
  assert.deepEqual(
    days.filter(({ day }: Json) => ['TUE', 'SUN'].includes(day)),
    [
      { day: 'TUE', from: '08:00', to: '12:00' },
      { day: 'TUE', from: '13:00', to: '17:30' },
    ],
  );
  assert.notEqual(identity_secret, null);
  assert.notEqual(identity_secret, secret);
  await page.reload();
  await page.getByText('An identity secret is set.').waitFor();
  assert.match(await snippet.inputValue(), /data-color="#0b7a5e" data-position="LEFT"/);
  // The address without its scheme was refused.
  assert.deepEqual(
    complaints().filter((text) => !/status of 400/.test(text)),
    [],
  );
  await close();
});
