/** The page that a mailed link opens, in a real browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { chooseTexts, type Texts } from '../../web/set-password/texts.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import {
  createPerson,
  forgetPassword,
  logIn,
  logInto,
  PASSWORD,
  readMailToken,
  waitForMail,
} from '../support/people.ts';
import { startPlatform } from '../support/platform.ts';

const platform = await startPlatform();
const browser = await startBrowser();
const en = chooseTexts(['en']).texts;
const NEW = 'pão de queijo & café ☕';

/** Creates a person of the demo company who has forgotten the password, and returns the link of the mail. */
async function lostPassword() {
  const person = await createPerson(platform, platform.demo._id, 'OPERATOR');
  await forgetPassword(platform, person.email);
  const mail = await waitForMail(platform, person.email);
  const token = readMailToken(mail);
  const [link = ''] = /^https?:\S+$/m.exec(mail.text ?? '') ?? [];
  assert.equal(link, `${platform.url}/set-password#token=${token}`);
  return { ...person, token, link };
}

/** Opens an address; `finish` asserts that the page called no other host, leaked no token and logged no error. */
async function open(link: string, options: BrowserContextOptions = {}) {
  const { page, complaints, requests } = await openPage(browser, { locale: 'en-US', ...options });
  await page.goto(link);
  const finish = async (): Promise<void> => {
    const token = /token=([\w-]+)/.exec(link)?.[1];
    for (const url of requests) {
      assert.equal(new URL(url).origin, platform.url, 'no other host is called');
      assert.ok(!token || !url.includes(token), 'no address carries the token');
    }
    // Chromium itself logs each error answer and each interrupted request.
    assert.deepEqual(
      complaints.filter((text) => !/^Failed to load resource: |net::ERR_FAILED$/.test(text)),
      [],
    );
    await page.context().close();
  };
  return {
    page,
    requests,
    finish,
    posts: () => requests.filter((url) => /\/v1\/(?!auth\/read-link$)/.test(url)).length,
  };
}

async function submit(page: Page, password: string, again = password, texts: Texts = en): Promise<void> {
  await page.getByLabel(texts.password).fill(password);
  await page.getByLabel(texts.again).fill(again);
  await page.getByRole('button', { name: texts.save }).click();
}

const findHeading = (page: Page) => page.getByRole('heading', { level: 1 });

async function waitForHeading(page: Page, text: string): Promise<void> {
  await findHeading(page).getByText(text, { exact: true }).waitFor();
  assert.equal(await page.title(), `${text} · Parley`);
}

describe('a mailed link', () => {
  test('a mailed link sets the password: the new one logs in, the old one does not, and the link cannot be used again', async () => {
    const { email, link } = await lostPassword();
    const first = await open(link);
    await submit(first.page, NEW);
    await waitForHeading(first.page, en.doneTitle);
    const said = (await first.page.getByRole('status').innerText()).split('\n').filter(Boolean);
    assert.deepEqual(said, [en.doneTitle, en.done, en.logIn]);
    assert.equal(first.posts(), 1);
    await first.page.getByRole('link', { name: en.logIn }).click();
    await first.page.waitForURL(`${platform.url}/console`);
    await first.page.getByLabel('Password').waitFor();
    await first.finish();
    await logIn(platform, 200, email, NEW);
    await logIn(platform, 401, email, PASSWORD);

    const second = await open(link);
    await submit(second.page, 'another password');
    await waitForHeading(second.page, en.usedTitle);
    const shown = await second.page.getByRole('alert').filter({ visible: true }).innerText();
    for (const part of [en.used, en.newLinkReset, en.newLinkInvitation]) assert.ok(shown.includes(part), part);
    assert.equal(await second.page.getByLabel(en.password).isVisible(), false, 'there is nothing left to type');
    await second.finish();
    await logIn(platform, 200, email, NEW);
  });

  test('the page of a mailed link leaves its token nowhere: not in the address bar, the history, a storage or a cookie', async () => {
    const { token, link } = await lostPassword();
    const { page } = await open(link);
    assert.equal(page.url(), `${platform.url}/set-password`);
    assert.equal(await page.evaluate('localStorage.length + sessionStorage.length'), 0);
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!(await page.content()).includes(token));
    await page.goto(`${platform.url}/docs`);
    await page.goBack();
    assert.equal(page.url(), `${platform.url}/set-password`);
    await waitForHeading(page, en.emptyTitle);
    await page.context().close();
  });

  test('a mailed link with an unknown token shows the same message as a used one', async () => {
    const { page, finish } = await open(`${platform.url}/set-password#token=${'x'.repeat(43)}`);
    await submit(page, NEW);
    await waitForHeading(page, en.usedTitle);
    await finish();
  });

  test('a link without a token shows where to find one and no form; a complete link in the same tab works at once', async () => {
    const { link } = await lostPassword();
    const { page, posts, finish } = await open(`${platform.url}/set-password`);
    await waitForHeading(page, en.emptyTitle);
    assert.equal(await page.getByRole('button').count(), 0);
    await page.goto(link);
    await waitForHeading(page, en.title);
    assert.equal(page.url(), `${platform.url}/set-password`);
    assert.equal(posts(), 0);
    await finish();
  });
});

describe('the link of an invitation to somebody who has a password', () => {
  async function openInvitation() {
    const { _id } = await platform.createCompany('Bakery');
    const person = await createPerson(platform, _id, 'VIEWER');
    const body = { name: 'Ana', email: person.email, role: 'VIEWER', language: 'en' };
    await platform.call(201, 'POST', '/v1/users', { body });
    const { text = '' } = await waitForMail(platform, person.email);
    return { ...person, link: /^https?:\S+$/m.exec(text)?.[0] ?? '' };
  }

  test('a person with a password accepts an invitation by one button, and keeps the password', async () => {
    const { email, link } = await openInvitation();
    const { page, posts, finish } = await open(link);
    await waitForHeading(page, 'Demo has invited you');
    await page.getByText(`You keep the password of ${email}, and choose`).waitFor();
    assert.equal(posts(), 0, 'opening the link accepts nothing');
    assert.equal(await page.getByLabel(en.password).isVisible(), false);
    await page.getByRole('button', { name: en.accept, exact: true }).click();
    await waitForHeading(page, en.joinedTitle);
    await finish();
    await logInto(platform, 200, email, platform.demo._id);
  });

  test('a person with a password can set a new one while accepting an invitation', async () => {
    const { email, link } = await openInvitation();
    const { page, finish } = await open(link);
    await page.getByRole('button', { name: en.choose }).click();
    await waitForHeading(page, en.title);
    await submit(page, NEW);
    await page.waitForURL(`${platform.url}/console/**`);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await finish();
    await logIn(platform, 200, email, NEW);
  });

  test('a person with a second factor who sets a new password while accepting an invitation logs in with both', async () => {
    const { token: key, link } = await openInvitation();
    const factor = '/v1/auth/second-factor';
    const { secret } = (await platform.call(200, 'POST', `${factor}/begin`, { key })).body;
    const code = new TOTP({ secret }).generate();
    await platform.call(200, 'POST', factor, { key, body: { password: PASSWORD, code } });
    const { page, finish } = await open(link);
    await page.getByRole('button', { name: en.choose }).click();
    await submit(page, NEW);
    await waitForHeading(page, en.doneTitle);
    await page.getByRole('link', { name: en.logIn }).click();
    await page.getByLabel('Password').waitFor();
    await finish();
  });
});

describe('checks of the form', () => {
  const link = `${platform.url}/set-password#token=unused`;

  for (const [what, password, again, field, error] of [
    ['two different passwords', 'long enough', 'long enough?', en.again, en.different],
    ['seven characters', '☕☕☕☕☕☕☕', '☕☕☕☕☕☕☕', en.password, en.tooShort],
    ['129 characters', 'x'.repeat(129), 'x'.repeat(129), en.password, en.tooLong],
    ['nothing', '', '', en.password, en.tooShort],
  ] as const) {
    test(`${what}: the field shows what is wrong and gets the focus, and nothing is sent`, async () => {
      const { page, posts, finish } = await open(link);
      await submit(page, password, again);
      const input = page.getByLabel(field);
      await page.getByRole('alert').filter({ hasText: error }).waitFor();
      assert.equal(await input.getAttribute('aria-invalid'), 'true');
      assert.equal(await page.evaluate('document.activeElement.id'), await input.getAttribute('id'));
      const described = (await input.getAttribute('aria-describedby'))?.split(' ') ?? [];
      const texts = await Promise.all(described.map((id) => page.locator(`#${id}`).innerText()));
      assert.ok(texts.includes(error), 'a reader of the field hears it');
      assert.equal(posts(), 0);
      await input.fill('x');
      assert.equal(await input.getAttribute('aria-invalid'), null);
      await finish();
    });
  }

  test('a password may have 128 characters, counted as a person counts them', async () => {
    const { link: real, email } = await lostPassword();
    const { page, finish } = await open(real);
    await submit(page, '☕'.repeat(120) + '🔑'.repeat(8));
    await waitForHeading(page, en.doneTitle);
    await finish();
    await logIn(platform, 200, email, '☕'.repeat(120) + '🔑'.repeat(8));
  });

  test('the password is hidden until the reader asks to see it, and hidden again when it is sent', async () => {
    const { page, finish } = await open(link);
    const types = () => page.evaluate("[...document.querySelectorAll('[autocomplete]')].map((input) => input.type)");
    assert.deepEqual(await types(), ['password', 'password']);
    await page.getByLabel(en.show).check();
    assert.deepEqual(await types(), ['text', 'text']);
    await submit(page, NEW);
    await waitForHeading(page, en.usedTitle);
    assert.deepEqual(await types(), ['password', 'password']);
    await finish();
  });
});

describe('a request without an answer', () => {
  test('when no answer comes, the page shows it, keeps the token, and the next try succeeds; pressing twice sends once', async () => {
    const { link, email } = await lostPassword();
    const { page, posts, finish } = await open(link);
    const problem = page.getByRole('alert').filter({ visible: true });
    await page.route('**/v1/**', (route) => route.abort());
    await submit(page, NEW);
    await problem.getByText(en.unreachable).waitFor();
    await page.unrouteAll();
    await page.route('**/v1/**', (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '7' }, json: { code: 'RATE_LIMITED', title: 't' } }),
    );
    await submit(page, NEW);
    await problem.getByText(en.tooMany.replace('{seconds}', '7')).waitFor();
    await page.unrouteAll();
    await page.route('**/v1/**', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await submit(page, NEW);
    await problem.getByText(en.unreachable).waitFor();
    await page.unrouteAll();

    const before = posts();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await submit(page, NEW);
    await page.getByRole('button', { name: en.saving }).click({ force: true });
    await page.keyboard.press('Enter');
    held.resolve();
    await waitForHeading(page, en.doneTitle);
    assert.equal(posts() - before, 1);
    await finish();
    await logIn(platform, 200, email, NEW);
  });

  test('the page shows the text of any other error of the API', async () => {
    const { page, finish } = await open(`${platform.url}/set-password#token=${'x'.repeat(201)}`);
    await submit(page, NEW);
    await page.getByRole('alert').filter({ hasText: 'The password was not saved: token ' }).waitFor();
    await finish();
  });
});

describe('the reader', () => {
  for (const [locale, lang] of [
    ['pt-BR', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['es-MX', 'es'],
    ['en-GB', 'en'],
    ['de-DE', 'en'],
  ] as const) {
    test(`a reader with the language ${locale} reads ${lang}, from the form to the end`, async () => {
      const { texts } = chooseTexts([locale]);
      const { link } = await lostPassword();
      const { page, finish } = await open(link, { locale });
      assert.equal(await page.locator('html').getAttribute('lang'), lang);
      await waitForHeading(page, texts.title);
      await submit(page, NEW, 'different', texts);
      await page.getByRole('alert').filter({ hasText: texts.different }).waitFor();
      await submit(page, NEW, NEW, texts);
      await waitForHeading(page, texts.doneTitle);
      await finish();
    });
  }

  test('a reader gets the first of their languages that the page has', () => {
    assert.equal(chooseTexts(['fr-FR', 'ES-419', 'en']).lang, 'es');
    assert.equal(chooseTexts([]).lang, 'en');
    const languages = ['pt', 'en', 'es'].map((language) => Object.entries(chooseTexts([language]).texts));
    // Each language has every text, and each text differs between languages.
    for (const [index, [key, text]] of (languages[0] ?? []).entries()) {
      const others = languages.slice(1).map((entries) => entries[index]);
      for (const other of others) assert.ok(other?.[0] === key && other[1] && other[1] !== text, key);
    }
  });

  test('the page can be used with the keyboard alone', async () => {
    const { link } = await lostPassword();
    const { page, finish } = await open(link);
    await waitForHeading(page, en.title);
    await page.keyboard.type(NEW);
    await page.keyboard.press('Tab');
    await page.keyboard.type(NEW);
    await page.keyboard.press('Enter');
    await waitForHeading(page, en.doneTitle);
    assert.equal(await page.evaluate('document.activeElement.id'), 'done');
    await finish();
  });

  test('the page never scrolls sideways on a narrow phone, in both colour schemes', async () => {
    const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['pt-BR', 'es', 'en']) {
        const { texts } = chooseTexts([locale]);
        const options = { colorScheme, locale, viewport: { width: 320, height: 600 } };
        const { page, finish } = await open(`${platform.url}/set-password#token=unknown`, options);
        await submit(page, 'a', 'b', texts);
        assert.equal(await page.evaluate(wide), false);
        await submit(page, NEW, NEW, texts);
        await waitForHeading(page, texts.usedTitle);
        assert.equal(await page.evaluate(wide), false);
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        assert.equal(paper, colorScheme === 'light' ? 'rgb(243, 245, 244)' : 'rgb(16, 20, 19)');
        await finish();
      }
    }
  });
});
