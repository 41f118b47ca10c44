/** How a newcomer comes into the console: by the link that a start of the platform prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFirstLink } from '../../src/boot/first-start.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { fillLogIn, openEnglishPage } from '../support/console.ts';
import { createPerson } from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();

test('the printed link opens the inbox, from where the phone page of the sandbox is one click away', async () => {
  const link = (await makeFirstLink(platform.running.kit, platform.url)) ?? '';
  const { page, complaints } = await openEnglishPage(browser);
  await page.goto(link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await page.getByRole('button', { name: 'Account' }).click();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('menuitem', { name: 'Phone of the sandbox' }).click();
  const phone = await opened;
  await phone.waitForURL(`${platform.sandboxUrl}/phone`);
  assert.deepEqual(complaints, []);

  // Who is logged in already comes in with the used link as well.
  await page.goto(link);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  assert.equal(await page.getByText('This link no longer works').count(), 0);
  await page.context().close();
});

test('a used link shows the log-in form and says why', async () => {
  const link = (await makeFirstLink(platform.running.kit, platform.url)) ?? '';
  const first = await openEnglishPage(browser);
  await first.page.goto(link);
  await first.page.getByRole('navigation', { name: 'Views' }).waitFor();
  await first.page.context().close();
  const { page } = await openEnglishPage(browser);
  await page.goto(link);
  await page.getByText('This link no longer works').first().waitFor();
  await page.getByLabel('Password').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await page.context().close();
});

test('the console says so when a file of it is refused, and loads it by itself once it is served', async () => {
  const { email } = await createPerson(platform, platform.demo._id, 'OWNER');
  const { page } = await openEnglishPage(browser);
  for (const file of [/\/chunk-\w+\.js$/, /\/texts-en-\w+\.js$/]) {
    await page.route(file, (route) => route.fulfill({ status: 429 }));
    await page.goto(`${platform.url}/console/contacts`);
    await page.getByText('The console could not be loaded.').waitFor();
    await page.getByRole('link', { name: 'Reload' }).waitFor();
    await page.unroute(file);
  }
  await page.route(/\/contacts-\w+\.js$/, (route) => route.fulfill({ status: 429 }));
  await page.locator('input[type=email]').waitFor();

  await fillLogIn(page, email);
  await page.getByText('This part of the page could not be loaded.').waitFor();
  await page.getByRole('button', { name: 'Reload' }).waitFor();
  await page.unroute(/\/contacts-\w+\.js$/);
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await page.context().close();
});

test('the console is shown in the language that was chosen in it, else in that of the browser, else in that of the user', async () => {
  const { email } = await createPerson(platform, platform.demo._id, 'OWNER');
  const open = async (locale: string) => {
    const { page } = await openPage(browser, { locale });
    await page.goto(`${platform.url}/console/profile`);
    await fillLogIn(page, email);
    return page;
  };
  // None of the languages of the console.
  const french = await open('fr-FR');
  await french.getByRole('heading', { name: 'Perfil' }).waitFor();
  await french.context().close();
  const english = await open('en-GB');
  await english.getByLabel('Language of the console').selectOption('Español');
  await english.getByText('Idioma y apariencia').waitFor();
  await english.reload();
  await english.getByText('Idioma y apariencia').waitFor();
  await english.context().close();
});

test('the console and its inbox load at most nine files', async () => {
  const { email, _id } = await createPerson(platform, platform.demo._id, 'OWNER');
  const { page, requests } = await openEnglishPage(browser);
  await page.goto(`${platform.url}/console`);
  await fillLogIn(page, email);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.evaluate(`localStorage.setItem('parley.first-run.${platform.demo._id}.${_id}', 'over')`);
  // Once the list is there, the page loads the conversation in advance.
  await page.route(/\/v1\/conversations\?/, () => undefined);
  // A page that is left asks for nothing more.
  await page.goto('about:blank');
  requests.length = 0;
  await page.goto(`${platform.url}/console`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  const files = new Set(requests.filter((address) => /\.(js|css)$/.test(address)));
  assert.ok(files.size <= 9, [...files].join('\n'));
  await page.context().close();
});

/** Names the files that a page or a script of the console cannot do without. */
const listNeeded = (code: string): string[] =>
  [...code.matchAll(/(?:\b(?:from|import)"\.\/|(?:rel="(?:stylesheet|modulepreload)" href|src)=")([^"]+)"/g)].map(
    ([, name = '']) => name,
  );

test('the console and its inbox have at most 250 kB in each language, compressed, without the typeface', async () => {
  let bytes = 0;
  const load = async (name: string): Promise<string> => {
    const response = await fetch(`${platform.url}/console${name}`, { headers: { 'accept-encoding': 'gzip' } });
    bytes += Number(response.headers.get('content-length'));
    return response.text();
  };
  const page = await load('');
  const loaded = new Map<string, string>();
  const loadAll = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      if (loaded.has(name)) continue;
      loaded.set(name, await load(`/${name}`));
      if (name.endsWith('.js')) await loadAll(listNeeded(loaded.get(name) ?? ''));
    }
  };
  await loadAll(listNeeded(page));
  const inbox = [...loaded.values()].flatMap((code) => /\binbox-\w{8}\.js/.exec(code) ?? []);
  assert.equal(new Set(inbox).size, 1);
  await loadAll(inbox.slice(0, 1));
  const shared = bytes;
  for (const language of ['en', 'pt-BR', 'es']) {
    const [, texts = ''] = new RegExp(`data-texts="${language}" href="([^"]+)"`).exec(page) ?? [];
    bytes = shared;
    await loadAll([texts]);
    assert.ok(shared < bytes && bytes <= 250_000, `${language}: ${bytes} bytes`);
  }
});
