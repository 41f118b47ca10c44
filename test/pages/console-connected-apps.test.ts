/** A user connects an app by OAuth in a real browser, and revokes it. The app is the protocol's own client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, openEnglishPage } from '../support/console.ts';
import { openApp } from '../support/oauth-app.ts';
import { connectApp, refreshTokens, startAttempt } from '../support/oauth.ts';
import { createPerson, PASSWORD } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const { demo } = platform;

test('an app gets from a refusal to a tool call by the consent of a user, refreshes its token, and ends when it is revoked', async () => {
  const app = await openApp(platform.url, 'Desk <b>assistant</b>');
  await assert.rejects(app.connect(), /Unauthorized/);
  const { email } = await createPerson(platform, demo._id, 'ADMIN');
  const { page, complaints } = await openEnglishPage(browser);
  await page.goto(app.page());
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.getByRole('heading', { name: /Desk <b>assistant<\/b>/ }).waitFor();
  await page.getByText(/A program on this computer \(127\.0\.0\.1:\d+\)/).waitFor();
  await page.getByText(email).waitFor();
  assert.ok(await page.getByRole('radio', { name: /Read only/ }).isChecked());
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('radio', { name: /Read and change/ }).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('You can close this page').waitFor();
  const returned = await app.returned;
  assert.deepEqual([returned.get('state'), returned.get('iss')], ['state-of-the-app', platform.url]);

  await app.finish();
  const client = await app.connect();
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'add_note') && tools.every(({ name }) => name !== 'send_message'));
  const counts = await client.callTool({ name: 'get_counts', arguments: {} });
  assert.notEqual(counts.isError, true);

  const before = app.tokens();
  assert.ok(before?.refresh_token);
  // The app refreshes a token that the server refuses.
  before.access_token = 'expired';
  await (await app.connect()).callTool({ name: 'get_counts', arguments: {} });
  assert.notEqual(app.tokens()?.refresh_token, before.refresh_token);

  await page.goto(`${platform.url}/console/connected-apps`);
  const row = page.getByRole('row', { name: /Desk/ });
  assert.match(await row.innerText(), /127\.0\.0\.1[^]*Read and change/);
  await row.press('Enter');
  const dialog = findDialog(page);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: /Revoke the app/ }).click();
  await page.getByText('No apps are connected').waitFor();
  await assert.rejects(client.callTool({ name: 'get_counts', arguments: {} }));
  assert.deepEqual(
    complaints.filter((text) => !/status of 401/.test(text)),
    [],
  );
  await page.context().close();
});

test('a user who denies sends the app back without a code, and one who may only read is offered nothing else', async () => {
  const app = await openApp(platform.url, 'Desk');
  await assert.rejects(app.connect(), /Unauthorized/);
  const { page, close, complaints } = await openConsole(platform, browser, { role: 'VIEWER' });
  await page.goto(app.page());
  await page.getByRole('radio').first().waitFor();
  assert.equal(await page.getByRole('radio').count(), 1);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You can close this page').waitFor();
  const returned = await app.returned;
  assert.deepEqual([returned.get('error'), returned.get('code')], ['access_denied', null]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the page neither leads to an unknown address nor leaves by itself for a wrong request, and cannot be framed', async () => {
  const { page, close, complaints } = await openConsole(platform, browser, { role: 'OPERATOR' });
  const { request } = await startAttempt(platform, { redirect_uri: 'https://evil.example/' });
  await page.goto(`${platform.url}/console/connect?${request}`);
  await page.getByText(/its request has a redirect_uri that the client has not registered/).waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  const wrong = await startAttempt(platform, { resource: 'https://other.example/' });
  await page.goto(`${platform.url}/console/connect?${wrong.request}`);
  await page.getByRole('button', { name: 'Back to assistant.example' }).waitFor();

  const framing = `${platform.url}/framing`;
  await page.route(framing, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<iframe src="${platform.url}/console/connect?${request}"></iframe>`,
    }),
  );
  await page.goto(framing);
  assert.match(complaints().join('\n'), /frame-ancestors/);
  await close();
});

test('an admin sees the apps of all users', async () => {
  const person = await createPerson(platform, demo._id, 'OPERATOR');
  const connection = await connectApp(platform, person);
  const { page, close, complaints } = await openConsole(platform, browser, { path: '/connected-apps' });
  await page.getByRole('row', { name: /Assistant/ }).press('Enter');
  const dialog = findDialog(page);
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: /Revoke the app/ }).click();
  await page.getByText('No apps are connected').waitFor();
  assert.equal((await refreshTokens(platform, connection, connection.refresh)).status, 400);
  await page.getByRole('button', { name: 'Connect an app' }).click();
  assert.equal(
    await dialog.getByLabel('Address of the MCP server', { exact: true }).inputValue(),
    `${platform.url}/mcp`,
  );
  assert.deepEqual(complaints(), []);
  await close();
});
