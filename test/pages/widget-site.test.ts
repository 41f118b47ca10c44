/** What the web chat is to the site that shows it: its frame, its costs, its keyboard, its texts, and strangers' texts in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';
import { answerVisitor, findReceived, openShop, startShop, type OpenShop } from '../support/widget.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const shop = await startShop(platform, {
  config: { welcome_text: 'Good morning!', quick_replies: ['Opening hours'] },
});

const findFrame = ({ page }: OpenShop): Promise<Frame> =>
  waitUntil('the frame of the chat', () => page.frames().find((frame) => frame.url().includes('/widget/')));

test('a site that the inbox does not name cannot frame the chat, nor can any site frame what has none', async () => {
  const stranger = await startShop(platform, { isAllowed: false });
  const opened = await openShop(browser, stranger);
  const warned = opened.page.waitForEvent('console', (message) => message.text().includes('the chat did not start'));
  await opened.launcher.click();
  await opened.page.locator('parley-chat iframe').waitFor();
  await warned;
  await waitUntil('the frame to be gone', async () => (await opened.page.locator('parley-chat iframe').count()) === 0);
  assert.ok(opened.complaints.some((text) => /frame-ancestors/.test(text)));
  assert.equal(await opened.launcher.getAttribute('aria-expanded'), 'false');
  await opened.close();

  const readPolicy = async (inbox: string) => {
    const { headers } = await fetch(`${platform.url}/widget/${inbox}`);
    return { policy: headers.get('content-security-policy') ?? '', options: headers.get('x-frame-options') };
  };
  assert.match((await readPolicy(stranger.inbox)).policy, /frame-ancestors 'self'$/);
  const allowed = await readPolicy(shop.inbox);
  assert.ok(allowed.policy.endsWith(`frame-ancestors 'self' ${shop.origin}`));
  assert.doesNotMatch(allowed.policy, /unsafe|\*/);
  assert.equal(allowed.options, null);
  for (const inbox of [platform.demo.inbox, 'nobody', '..%2fconsole'])
    assert.equal((await fetch(`${platform.url}/widget/${inbox}`)).status, 404, inbox);
});

test('an address of a picture that is none is refused, and one that was stored before changes nothing of the page', async () => {
  const { call, database, demo } = platform;
  const { _id: user } = await platform.createUser(demo._id, 'OPERATOR');
  const bad = [
    'https://256.256.256.256/a.png',
    'https://a.example;sandbox/a.png',
    "https://a.example'/a.png",
    'https://[/',
  ];
  for (const avatar_url of bad) {
    const places: [method: string, path: string, body: Json, field: string][] = [
      ['PATCH', `/v1/users/${user}`, { avatar_url }, 'avatar_url'],
      ['PUT', `/v1/inboxes/${shop.inbox}`, { web_config: { avatar_url } }, 'web_config.avatar_url'],
      ['POST', '/v1/contacts', { name: 'Ana', avatar_url }, 'avatar_url'],
      ['POST', '/v1/agents', { name: 'Ana', type: 'EXTERNAL', url: avatar_url }, 'url'],
      ['POST', '/v1/inboxes', { channel: 'WEB_V2', name: 'Shop', webhook_url: avatar_url }, 'webhook_url'],
    ];
    for (const [method, path, body, field] of places)
      assert.equal((await call(400, method, path, { body })).body.errors[0].path, field, avatar_url);
  }
  for (const stored of bad) {
    await database.sql('update users set avatar_url = $2 where _id = $1', [user, stored]);
    const { inbox, origin } = await startShop(platform, { config: { avatar_url: 'https://pictures.example/a.png' } });
    await database.sql(
      `update inboxes set settings = jsonb_set(settings, '{web_config,allowed_origins}', to_jsonb(array[$2, $3])) where _id = $1`,
      [inbox, origin, stored],
    );
    const page = await fetch(`${platform.url}/widget/${inbox}`);
    assert.equal(page.status, 200, stored);
    const policy = page.headers.get('content-security-policy') ?? '';
    const pictures = policy.split('; ').find((directive) => directive.startsWith('img-src'));
    assert.deepEqual([pictures, policy.includes('sandbox')], ["img-src 'self' https://pictures.example", false]);
    assert.ok(policy.endsWith(`frame-ancestors 'self' ${origin}`), policy);
  }
  await database.sql('update users set avatar_url = null where _id = $1', [user]);
});

test('the head of a chat whose picture does not load shows the first letter of its title', async () => {
  const { inbox, origin } = await startShop(platform, {
    config: { title: 'Bakery', avatar_url: `${platform.url}/files/gone` },
  });
  const opened = await openShop(browser, { inbox, origin });
  await opened.openChat();
  await opened.chat.locator('.head span.avatar').getByText('B', { exact: true }).waitFor();
  await opened.close();
});

test('the site and the chat listen to each other only: what other windows say does nothing', async () => {
  const opened = await openShop(browser, shop);
  await opened.openChat();
  const frame = await findFrame(opened);
  // A script of the page pretends to be the chat, and one in the frame to be the page.
  await opened.page.evaluate(`postMessage({ parley: 'unread', count: 7 }, '*')`);
  await frame.evaluate(`postMessage({ parley: 'language', language: 'es' }, '*')`);
  await opened.write('still here');
  await opened.waitFor('still here');
  assert.equal(await opened.launcher.textContent(), '');
  assert.equal(await opened.chat.locator('textarea').getAttribute('aria-label'), 'Write a message');
  await opened.close();
});

test('hostile texts and names change nothing: they are shown as text, and nothing is wider than the chat', async () => {
  const opened = await openShop(browser, shop, { viewport: { width: 390, height: 700 } });
  const { chat, openChat, write, waitFor, complaints, close } = opened;
  await openChat();
  const hostile = [
    '<img src=x onerror="document.title=\'pwned\'"><script>document.title="pwned"</script>',
    'javascript:document.title="pwned"',
    'w'.repeat(4_096),
    'שלום עולם, hello',
    '👩‍👩‍👧‍👦'.repeat(50),
    '\u202Ereversed\u202C',
  ];
  for (const text of hostile) await write(text);
  const received = await findReceived(platform, hostile.at(-1)!);
  await waitUntil('all texts', async () => (await opened.texts()).length === hostile.length);
  assert.deepEqual(await opened.texts(), hostile);
  await answerVisitor(platform, received, '<b onclick="x()">bold</b> ]]> &amp; data:text/html,<script>1</script>');
  await waitFor('bold');
  const frame = await findFrame(opened);
  assert.equal(
    await frame.evaluate(`document.querySelectorAll('.message img, .message b, .message script, .message a').length`),
    0,
  );
  assert.equal(await frame.evaluate(`document.documentElement.scrollWidth <= innerWidth`), true);
  assert.equal(
    await frame.evaluate(
      `document.querySelector('.scroller').scrollWidth <= document.querySelector('.scroller').clientWidth`,
    ),
    true,
  );
  assert.notEqual(await frame.title(), 'pwned');
  assert.notEqual(await opened.page.title(), 'pwned');
  await frame.evaluate(`
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'x'.repeat(10_000_000));
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('textarea').dispatchEvent(paste);
  `);
  await chat.getByText('A message can have at most 4,096 characters.').waitFor();
  assert.equal((await chat.locator('textarea').inputValue()).length, 4_096);
  assert.deepEqual(complaints, []);
  await close();
});

test('on a site that is written from right to left nothing leaves the window, and Arabic texts stand on their own side', async () => {
  const opened = await openShop(browser, { ...shop, origin: 'about:blank' });
  const { page, chat, openChat, write, waitFor, close } = opened;
  await page.addInitScript(
    `document.addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl'))`,
  );
  await page.goto(shop.origin);
  await openChat();
  await write('مرحبا، هل أنتم مفتوحون؟');
  await answerVisitor(platform, await findReceived(platform, 'مرحبا، هل أنتم مفتوحون؟'), 'Yes, until six');
  await waitFor('Yes, until six');
  const directions = await chat
    .locator('.message .text')
    .evaluateAll((texts: Json[]) =>
      texts.map((text) => text.ownerDocument.defaultView.getComputedStyle(text).direction),
    );
  assert.deepEqual(directions, ['rtl', 'ltr']);
  await chat.locator('textarea').fill('شكرا');
  assert.equal(await chat.locator('textarea').evaluate((field: Json) => field.matches(':dir(rtl)')), true);
  // Room for the animation with which the chat opens.
  const frame = page.locator('parley-chat iframe');
  await waitUntil('the chat to stand still', async () => (await frame.boundingBox())?.x === 1280 - 384 - 20);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await close();
});

test('everything is done by the keyboard: the focus goes into the chat and comes back to the launcher', async () => {
  const opened = await openShop(browser, shop);
  const { page, launcher, chat, waitFor, close } = opened;
  await launcher.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(`document.activeElement.shadowRoot?.activeElement?.getAttribute('aria-label')`),
    'Open the chat',
  );
  await page.keyboard.press('Enter');
  await chat.locator('textarea:focus').waitFor();
  await page.keyboard.type('first line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  await page.keyboard.press('Enter');
  await waitFor('first line');
  await findReceived(platform, 'first line\nsecond line');
  await page.keyboard.press('Escape');
  await page.locator('parley-chat button[aria-expanded=false]').waitFor();
  assert.equal(await page.evaluate(`document.activeElement.shadowRoot?.activeElement?.className`), 'launcher');
  await page.keyboard.press('Enter');
  await chat.locator('textarea:focus').waitFor();
  await close();
});

for (const [language, theme] of [
  ['en', 'light'],
  ['pt-BR', 'dark'],
  ['es', 'light'],
] as const)
  test(`axe finds no serious barrier in ${language} and ${theme}, before and after the first message, also on a phone`, async () => {
    const locales = { en: 'en-GB', 'pt-BR': 'pt-BR', es: 'es-MX' };
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 740 },
    ]) {
      const opened = await openShop(browser, shop, { locale: locales[language], colorScheme: theme, viewport });
      const { page, openChat, write, waitFor, close } = opened;
      await openChat();
      const frame = await findFrame(opened);
      assert.equal(await frame.evaluate('document.documentElement.lang'), language);
      assert.deepEqual(await findBarriers(frame), []);
      const text = `Bom dia ${language} ${viewport.width}`;
      await write(text);
      await waitFor(text);
      await answerVisitor(platform, await findReceived(platform, text), 'Hello');
      await waitFor('Hello');
      assert.deepEqual(await findBarriers(frame), []);
      assert.deepEqual(await findBarriers(page), []);
      const box = await page.locator('parley-chat iframe').boundingBox();
      if (viewport.width < 480) assert.deepEqual(box, { x: 0, y: 0, ...viewport });
      await close();
    }
  });

test('the loader moves nothing on the site, and asks for nothing but itself', async () => {
  const load = async (path: string) => {
    const opened = await openShop(browser, { ...shop, origin: 'about:blank' });
    const { page, requests } = opened;
    await page.addInitScript(`
      globalThis.shifts = 0;
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shifts += value; })
        .observe({ type: 'layout-shift', buffered: true });
    `);
    await page.goto(shop.origin + path);
    if (path === '/') await opened.launcher.waitFor();
    await page.evaluate(`new Promise((resolve) => requestIdleCallback(resolve))`);
    return { opened, requests: requests.length };
  };
  const [without, withChat] = [await load('/without'), await load('/')];
  assert.equal(withChat.requests, without.requests + 1);
  const { opened } = withChat;
  await opened.openChat();
  await opened.launcher.click();
  assert.equal(await opened.page.evaluate('shifts'), 0);
  await without.opened.close();
  await opened.close();
});

test('a site hears of what happens in the chat, and sets it up, also by calls from before the loader was there', async () => {
  const opened = await openShop(browser, { ...shop, origin: 'about:blank' });
  const { page, chat, launcher, waitFor, write, close } = opened;
  await page.addInitScript(`
    globalThis.heard = [];
    globalThis.parley = [
      ['setLanguage', 'pt'],
      ['on', 'open', () => heard.push('open')],
      ['on', 'message', ({ content }) => heard.push(content)],
      (chat) => chat.open(),
      ['nothing', 'like this'],
      ['on', 'close', () => { heard.push('close'); throw new Error('a mistake of the site'); }],
    ];
  `);
  await page.goto(shop.origin);
  await chat.getByLabel('Escreva uma mensagem').waitFor();
  await write('Oi');
  // The answer to this receipt says how many messages are unread, and would otherwise count the next one before it arrives.
  const receipt = page.waitForResponse((response) => !!response.request().postData()?.includes('read_to'));
  await answerVisitor(platform, await findReceived(platform, 'Oi'), 'Olá');
  await waitFor('Olá');
  await receipt;
  await page.evaluate(`globalThis.off = parley.on('unread', (count) => heard.push(count)); parley.close()`);
  await page.getByRole('button', { name: 'Abrir o chat' }).waitFor();
  await answerVisitor(platform, await findReceived(platform, 'Oi'), 'Ainda aí?');
  await page.getByRole('button', { name: 'Abrir o chat, 1 mensagem não lida' }).waitFor();
  await page.evaluate('off()');
  await launcher.click();
  await waitFor('Ainda aí?');
  await page.getByRole('button', { name: 'Fechar o chat' }).waitFor();
  assert.deepEqual(await page.evaluate('heard'), ['open', 'Olá', 'close', 'Ainda aí?', 1, 'open']);
  // No token of the visitor can be read by the site.
  assert.doesNotMatch(String(await page.evaluate('JSON.stringify({ ...localStorage })')), /token|eyJ/);
  await close();
});

test('the loader finds its inbox in its address or at another script, and says on the console when there is none', async () => {
  const inAddress = await startShop(platform, {
    makeScript: (address, inbox) => `<script async src="${address}?inbox=${inbox}"></script>`,
  });
  const opened = await openShop(browser, inAddress);
  await opened.openChat();
  await opened.close();

  // A tag manager runs the text of the file, and the browser then names no script.
  const atAnother = await startShop(platform, {
    makeScript: (address, inbox) => `<script type="text/plain" src="${address}" data-inbox="${inbox}"></script>`,
  });
  const managed = await openShop(browser, atAnother);
  await managed.page.evaluate(await (await fetch(`${platform.url}/widget.js`)).text());
  await managed.openChat();
  await managed.close();

  const without = await startShop(platform, { makeScript: (address) => `<script async src="${address}"></script>` });
  const silent = await openShop(browser, { ...without, origin: 'about:blank' });
  const complaint = silent.page.waitForEvent('console', (message) =>
    message.text().includes('needs the id of an inbox'),
  );
  await silent.page.goto(without.origin);
  assert.equal((await complaint).type(), 'error');
  await silent.close();
});
