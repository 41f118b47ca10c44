/** The journeys of people who work in the console, in a real browser over a real platform. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, holdAnswers, openConsole, waitForSent, waitForDialog } from '../support/console.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

describe('the inbox', () => {
  test('a message from the phone appears by itself and is answered by keyboard alone', async () => {
    const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByText('No conversations here').waitFor();
    await platform.receive({ from: '5511988880001', name: 'Maria Silva', text: 'Vocês abrem amanhã?' });
    await page.getByRole('link', { name: /Maria Silva/ }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('log').getByText('Vocês abrem amanhã?').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Abrimos às 9 horas.');
    await page.keyboard.press('Enter');
    await waitForSent(page.getByRole('log'));
    const { messages } = await platform.sandbox('GET', '/sandbox/messages');
    assert.deepEqual(
      messages.map((message: Json) => message.body.text.body),
      ['Abrimos às 9 horas.'],
    );
    assert.deepEqual(complaints(), []);
    await close();
  });

  test('a message that holds script, a very long word, letters from right to left and emoji stays inside its bubble', async () => {
    const word = 'x'.repeat(3_900);
    const text = `<img src=x onerror="document.title='broken'"> ${word} שלום 😀`;
    await platform.receive({ from: '5511988880002', name: '<b>Rui</b>', text });
    const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByRole('link', { name: /<b>Rui<\/b>/ }).click();
    const bubble = page.getByRole('log').getByRole('article');
    await bubble.getByText(word).waitFor();
    assert.equal(await bubble.locator('img').count(), 0);
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(isWider, false);
    assert.doesNotMatch(await page.title(), /broken/);
    assert.deepEqual(complaints(), []);
    await close();
  });

  test('a picture with a caption, a template and a note with a mention are sent from the composer', async () => {
    const colleague = await platform.createUser(platform.demo._id, 'OPERATOR', 'Bia Lima');
    await platform.receive({ from: '5511988880003', name: 'Ana Souza', text: 'Tem foto?' });
    const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByRole('link', { name: /Ana Souza/ }).click();
    const thread = page.getByRole('log');

    await page.locator('input[type=file]').setInputFiles('sandbox/samples/picture.jpg');
    await page.getByLabel('Write a message').fill('Aqui está');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await waitUntil('the uploaded file', () => send.isEnabled());
    await page.keyboard.press('Enter');
    await waitForSent(thread.getByRole('article').filter({ hasText: 'Aqui está' }));

    await page.getByRole('button', { name: 'Send a template' }).click();
    await page.getByRole('button', { name: /order_update · pt_BR/ }).click();
    await page.getByLabel('Value 1').fill('Ana');
    await page.getByLabel('Value 2').fill('4821');
    await findDialog(page).getByRole('button', { name: 'Send' }).click();
    await thread.getByText('Oi, Ana! O seu pedido *4821* saiu para entrega.').waitFor();

    await page.getByRole('tab', { name: 'Note', exact: true }).click();
    await page.getByLabel('Write a note for your team').pressSequentially('Cuida dela, @bia');
    await page.getByRole('option', { name: /@Bia Lima/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await thread.getByText('Cuida dela, @Bia Lima').waitFor();
    // The note is shown before the platform has stored it.
    const mentions = await waitUntil('the stored note', async () => {
      const { body } = await platform.call(200, 'GET', `/v1/messages?mentioned=${colleague._id}`);
      return body.result.length > 0 && body.result;
    });
    assert.deepEqual(
      mentions.map(({ content }: Json) => content),
      ['Cuida dela, @Bia Lima'],
    );
    assert.deepEqual(complaints(), []);
    await close();
  });

  test('a draft is kept over a reload, and a message that was refused stays with its cause until it is sent again, once', async () => {
    await platform.receive({ from: '5511988880004', name: 'Caio Dias', text: 'Olá' });
    const { page, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByRole('link', { name: /Caio Dias/ }).click();
    const field = page.getByLabel('Write a message');
    await field.fill('Um rascunho');
    await page.reload();
    await waitUntil('the draft', async () => (await field.inputValue()) === 'Um rascunho');

    const body = JSON.stringify({ code: 'INTERNAL_ERROR', title: 'Failed', detail: 'It failed here.', errors: [] });
    await page.route('**/v1/messages/send-text', (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body }),
    );
    await field.press('Enter');
    await page.getByText('Not sent: Something went wrong on the platform.').waitFor();
    await page.reload();
    await page.getByText('Not sent: Something went wrong on the platform.').waitFor();
    await page.unroute('**/v1/messages/send-text');
    await page.getByRole('button', { name: 'Send again' }).click();
    await waitForSent(page.getByRole('article').filter({ hasText: 'Um rascunho' }));
    assert.equal(await page.getByText('Not sent').count(), 0);
    const { messages } = await platform.sandbox('GET', '/sandbox/messages');
    assert.equal(messages.filter((message: Json) => message.body.text?.body === 'Um rascunho').length, 1);
    await close();
  });

  test('a message that was sent is shown once when the page is loaded anew before it got the answer', async () => {
    await platform.receive({ from: '5511988880011', name: 'Hugo Paz', text: 'Olá' });
    const { page, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByRole('link', { name: /Hugo Paz/ }).click();
    await holdAnswers(page, '/v1/messages/send-text');
    await page.getByLabel('Write a message').fill('Até amanhã');
    await page.keyboard.press('Enter');
    const message = page.getByRole('article').filter({ hasText: 'Até amanhã' });
    await waitForSent(message);
    await page.reload();
    await waitForSent(message);
    assert.equal(await message.count(), 1);
    await close();
  });

  test('a message that arrives while its conversation is read is shown, although the answer does not have it', async () => {
    await platform.receive({ from: '5511988880010', name: 'Gil Sena', text: 'Primeira' });
    const { page, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    const thread = await holdAnswers(page, '/messages/conversation/');
    const link = page.getByRole('link', { name: /Gil Sena/ });
    await link.click();
    await thread.answered();
    await platform.receive({ from: '5511988880010', name: 'Gil Sena', text: 'Segunda' });
    await link.getByText('Segunda').waitFor();
    await thread.release();
    await page.getByRole('log').getByText('Primeira').waitFor();
    await page.getByRole('log').getByText('Segunda').waitFor();
    await close();
  });

  test('two tabs share one stream, and the second one goes on when the first is closed', async () => {
    const { page, calls, close } = await openConsole(platform, browser, { path: '/inbox/unassigned' });
    await page.getByRole('link', { name: /Caio Dias/ }).waitFor();
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByRole('link', { name: /Caio Dias/ }).waitFor();
    const streams = (): number => calls().filter((path) => path.startsWith('/v1/live')).length;
    assert.equal(streams(), 1);
    await platform.receive({ from: '5511988880005', name: 'Davi Reis', text: 'Primeira' });
    await second.getByRole('link', { name: /Davi Reis/ }).waitFor();
    await page.close();
    await platform.receive({ from: '5511988880006', name: 'Eva Luz', text: 'Segunda' });
    await second.getByRole('link', { name: /Eva Luz/ }).waitFor();
    assert.equal(streams(), 2);
    await close();
  });

  test('an idle console makes no request beside its stream', async () => {
    const { page, calls, close } = await openConsole(platform, browser, { path: '/inbox/all' });
    await page.getByRole('link', { name: /Maria Silva/ }).waitFor();
    // The page may still read what it shows at first. Three seconds are enough for anything that would be read again and again.
    await waitUntil('three seconds without a request', async () => {
      const before = calls().length;
      await page.waitForTimeout(3_000);
      return calls().length === before;
    });
    assert.equal(calls().filter((path) => path.startsWith('/v1/live')).length, 1);
    await close();
  });
});

describe('every screen', () => {
  /** Each appearance on a desk and on a phone, and each language at least once, because the words are the same in all appearances. */
  const LOOKS = [
    { language: 'en', theme: 'light', width: 1280 },
    { language: 'pt-BR', theme: 'dark', width: 1280 },
    { language: 'es', theme: 'light', width: 390 },
    { language: 'en', theme: 'dark', width: 390 },
  ] as const;
  /** Where pictures of all screens are wanted, a folder for them. */
  const pictures = process.env['PARLEY_PICTURES'];

  test('no screen has a serious barrier for people with impairments, in any language, light or dark, on a desk or on a phone', async () => {
    for (const { language, theme, width } of LOOKS) {
      const viewport = { width, height: 800 };
      const { page, complaints, close } = await openConsole(platform, browser, { language, theme, viewport });
      // On a phone the bar hides most of them.
      const links = await page.locator('nav').first().locator('a').all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      assert.ok(paths.length > 0);
      for (const path of paths) {
        // As a click would, which a phone has no room for; loading the page anew takes several times as long.
        await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
        await page.locator(`nav a[aria-current=page][href="${path}"]`).first().waitFor({ state: 'attached' });
        await page.locator('main').waitFor();
        assert.deepEqual(await findBarriers(page), [], `${path} in ${language}`);
        const name = `${path?.split('/').at(-1)}-${theme}-${width}-${language}.png`;
        if (pictures) await page.screenshot({ path: join(pictures, name) });
      }
      assert.deepEqual(complaints(), []);
      await close();
    }
  });

  test('no dialog and no page below a screen has a serious barrier', async () => {
    await platform.receive({ from: '5511988880009', name: 'Lia Prado', text: 'Oi' });
    const { page, complaints, close } = await openConsole(platform, browser);
    const press = (name: string) => async () => page.getByRole('button', { name, exact: true }).click();
    const check = async (what: string): Promise<void> => assert.deepEqual(await findBarriers(page), [], what);
    const dialogs = [
      ['/contacts', press('New contact')],
      ['/contacts', press('Add a filter')],
      ['/businesses', press('New business')],
      ['/knowledge', press('Upload a file')],
      ['/quick-replies', press('New quick reply')],
      ['/inboxes', press('Connect an inbox')],
      ['/webhook', press('Edit')],
      ['/users', press('Invite a person')],
      ['/api-keys', press('Create a key')],
      ['/fields/custom-fields', press('New field')],
      ['/fields/pipelines', press('New pipeline')],
      ['/board', async () => page.keyboard.press('Control+k')],
      ['/board', async () => page.keyboard.press('?')],
    ] as const;
    for (const [path, open] of dialogs) {
      await page.goto(`${platform.url}/console${path}`);
      await page.locator('main').waitFor();
      await open();
      await waitForDialog(page);
      await check(`a dialog of ${path}`);
      if (path !== '/inboxes') continue;
      await page.getByRole('button', { name: /^WhatsApp A business number/ }).click();
      await check('the first step of a new inbox');
      await press('Next')();
      await page.getByLabel('Phone number ID').waitFor();
      await check('the second step of a new inbox');
    }

    await page.goto(`${platform.url}/console/contacts`);
    await page.getByRole('row', { name: /Lia Prado/ }).click();
    await press('Merge')();
    await waitForDialog(page);
    await check('the merge of a contact');
    await page.goto(`${platform.url}/console/contacts/import`);
    const buffer = Buffer.from('Nome,Cidade\nAna,Recife\n');
    await page.getByLabel('Sheet').setInputFiles({ name: 'contatos.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Start the import' }).waitFor();
    await check('an import');
    await page.goto(`${platform.url}/console/inbox/unassigned`);
    await page.getByRole('link', { name: /Lia Prado/ }).click();
    await press('Send a template')();
    await page.getByRole('button', { name: /order_update · pt_BR/ }).click();
    await page.getByLabel('Value 1').waitFor();
    await check('the values of a template');
    assert.deepEqual(complaints(), []);
    await close();
  });
});

test('the console can be installed as an app', async () => {
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/contacts' });
  const session = await page.context().newCDPSession(page);
  const { errors, url } = await session.send('Page.getAppManifest');
  assert.deepEqual([errors, url], [[], `${platform.url}/console/manifest.webmanifest`]);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(
    installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
    [],
  );
  assert.deepEqual(complaints(), []);
  await close();
});
