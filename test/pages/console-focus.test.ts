/** Where the focus is while somebody writes: what is typed is text and nothing else, whatever was clicked before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { findBarriers, findDialog, openConsole, waitForSent, waitForDialog } from '../support/console.ts';
import { makePng } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { orderAtTop, writeAsContact } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser({ hasMicrophone: true });
const { call } = platform;

/** Has every letter that is a shortcut somewhere, and G with the letter of a screen. */
const SENTENCE = 'er, ajude: [já] exigi nova kombi? gi gc gu';

const listTexts = async (id: string): Promise<string[]> => {
  const { body } = await call(200, 'GET', `/v1/messages/conversation/${id}?limit=100`);
  return body.result.map(({ message_type, content }: Json) => `${message_type} ${content}`);
};

const isWriting = (page: Page): Promise<boolean> => page.evaluate(`document.activeElement?.tagName === 'TEXTAREA'`);

test('a whole sentence that follows any action of the composer is text, and changes nothing else', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Maria Silva', text: 'Bom dia' });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { tags: ['vip'] } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const { keyboard } = page;
  const composer = page.locator('[data-composer]');
  const field = composer.getByRole('textbox');
  const press = (name: string | RegExp) => composer.getByRole('button', { name }).first().click();
  const choose = async (name: string, item: RegExp): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const bubble = page.getByRole('article').filter({ hasText: 'Bom dia' });
  const answer = async (): Promise<void> => {
    await bubble.hover();
    await bubble.getByRole('button', { name: 'Reply' }).click();
  };
  const attach = (): Promise<void> =>
    composer
      .locator('input[type=file]')
      .setInputFiles({ name: 'bolo.png', mimeType: 'image/png', buffer: makePng(8, 8) });
  const actions: Record<string, () => Promise<unknown>> = {
    'the conversation is opened': async () => undefined,
    'Note is chosen': () => composer.getByRole('tab', { name: 'Note' }).click(),
    'Reply is chosen': () => composer.getByRole('tab', { name: 'Reply' }).click(),
    'a message is answered': answer,
    'the quote is cancelled': () => press('Cancel'),
    'a file is added': attach,
    'the file is removed': () => press('Remove: bolo.png'),
    'a note is added by the mouse': async () => {
      await composer.getByRole('tab', { name: 'Note' }).click();
      await keyboard.type('Ligar hoje');
      await press('Add note');
      await composer.getByRole('tab', { name: 'Reply' }).click();
    },
    'a message is sent by the mouse': async () => {
      await field.fill('Boa tarde');
      await composer.getByRole('button', { name: 'Send', exact: true }).click();
    },
    'an emoji is chosen': async () => {
      await press('Emoji');
      await page.getByRole('button', { name: '🙏' }).click();
    },
    'the emoji are shown': () => press('Emoji'),
    'the theme is chosen in the account menu': async () => {
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByRole('menuitem', { name: /Dark/ }).click();
    },
    'a voice note begins': () => press('Record a voice note'),
    'a voice note is cancelled': () => press('Cancel'),
    'the template dialog is closed': async () => {
      await press('Send a template');
      await findDialog(page).getByRole('button', { name: 'Close' }).click();
    },
    'the template dialog is left with Escape': async () => {
      await press('Send a template');
      await waitForDialog(page);
      await keyboard.press('Escape');
    },
    'a menu is left with Escape': async () => {
      await page.getByRole('button', { name: 'Snooze' }).click();
      await page.getByRole('menuitem').first().waitFor();
      await keyboard.press('Escape');
    },
    'the empty part of the bar is pressed': () =>
      composer.getByRole('button', { name: 'Send', exact: true }).click({ position: { x: -60, y: 10 }, force: true }),
    'Send is pressed without a text': () =>
      composer.getByRole('button', { name: 'Send', exact: true }).click({ force: true }),
    'the contact is shown': () => page.getByRole('button', { name: 'Contact details' }).click(),
    'a tag is removed': async () => {
      await page.getByRole('button', { name: 'Remove the tag vip' }).click();
      await page.getByRole('button', { name: 'Remove the tag vip' }).waitFor({ state: 'detached' });
    },
    'the contact is hidden': () => page.getByRole('button', { name: 'Contact details' }).click(),
    'the conversation is assigned': () => choose('Assign', /Olga/),
    'the conversation is put aside': () => choose('Snooze', /In an hour/),
    'the conversation is closed': () => page.getByRole('button', { name: 'Close', exact: true }).click(),
    'the notice about that is closed': () => page.locator('[data-notice] button').last().click(),
    'the conversation is reopened': () => page.getByRole('button', { name: 'Reopen' }).click(),
  };
  const changes: string[] = [];
  page.on('request', (request) => {
    const isChange = request.method() === 'PATCH' || request.url().endsWith('/step');
    if (isChange) changes.push(request.postData() ?? '');
  });
  await field.waitFor();
  for (const [action, run] of Object.entries(actions)) {
    await run();
    // A menu that is about to close swallows the first letters; none of them may do anything.
    await keyboard.type(SENTENCE);
    await waitUntil(`the field to have the focus after ${action}`, () => isWriting(page));
    await field.fill('');
    await keyboard.type(SENTENCE);
    assert.equal(await field.inputValue(), SENTENCE, action);
    assert.match(page.url(), new RegExp(`/inbox/all/${conversation._id}$`), action);
    assert.equal(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count(), 0, action);
    await field.fill('');
  }
  // Just after something was written, letters are no shortcuts even when the focus is on the page.
  await page.getByRole('log').click();
  await keyboard.type(SENTENCE);
  // An added file is as good as a text: its author has not finished, however long the pause is.
  await attach();
  await page.waitForTimeout(3_100);
  await page.getByRole('log').click();
  await keyboard.type(SENTENCE);
  assert.match(page.url(), new RegExp(`/inbox/all/${conversation._id}$`));
  const [untagged, assigned, aside, ...others] = changes.map((text) => JSON.parse(text));
  assert.deepEqual(untagged, { tags: [] });
  assert.deepEqual(Object.keys(assigned), ['owner']);
  assert.equal(aside.status, 'SNOOZED');
  assert.deepEqual(others, [{ status: 'CLOSED' }, { status: 'OPEN' }]);
  assert.deepEqual((await listTexts(conversation._id)).toSorted(), [
    'INCOMING Bom dia',
    'NOTE Ligar hoje',
    'OUTGOING Boa tarde',
  ]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('Enter in a note adds a note, and the words that follow stay with the team', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Ana Lima', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const { keyboard } = page;
  const composer = page.locator('[data-composer]');
  await composer.getByRole('textbox', { name: 'Write a message' }).fill('Já vejo');
  await composer.getByRole('tab', { name: 'Note' }).click();
  await keyboard.type('Cliente difícil, er');
  await keyboard.press('Enter');
  await page.getByRole('article').filter({ hasText: 'Cliente difícil' }).waitFor();
  await keyboard.type('não responder');
  await composer.getByRole('button', { name: 'Add note' }).click();
  await keyboard.type('er');
  // With a draft, letters stay text however long the pause is; only R goes back to the field, and leaves the note a note.
  await keyboard.press('Escape');
  await page.waitForFunction(`document.activeElement === document.body`);
  await page.waitForTimeout(3_100);
  await keyboard.type('ea');
  await page.waitForTimeout(1_100);
  await keyboard.press('r');
  await composer.getByRole('textbox', { name: 'Write a note' }).and(page.locator(':focus')).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  // The reply waits where it was, also after a reload.
  await page.reload();
  await composer.getByRole('tab', { name: 'Reply', selected: true }).waitFor();
  assert.equal(await composer.getByRole('textbox').inputValue(), 'Já vejo');
  await composer.getByRole('tab', { name: 'Note' }).click();
  assert.equal(await composer.getByRole('textbox').inputValue(), 'er');
  await waitUntil('both notes', async () => (await listTexts(conversation._id)).length === 3);
  assert.deepEqual((await listTexts(conversation._id)).toSorted(), [
    'INCOMING Oi',
    'NOTE Cliente difícil, er',
    'NOTE não responder',
  ]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('J and K go through the list with the focus on its rows, and Enter or R goes to the reply', async () => {
  const names = ['Lista Um', 'Lista Dois', 'Lista Três'];
  const ids: string[] = [];
  for (const name of names) ids.push((await writeAsContact(platform, { name, text: 'Olá' })).conversation._id);
  await orderAtTop(platform, ids);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const { keyboard } = page;
  await page.getByRole('link', { name: /Lista Um/ }).waitFor();
  await keyboard.press('j');
  await page.waitForURL(`**/${ids[0]}`);
  await keyboard.type('jjk');
  await page.waitForURL(`**/${ids[1]}`);
  await page.locator(`[data-conversation="${ids[1]}"]:focus`).waitFor();
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
  assert.equal(await isWriting(page), false);
  await keyboard.press('Enter');
  await waitUntil('the field to have the focus', () => isWriting(page));
  await keyboard.type('jk er');
  await keyboard.press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'jk er' }));
  // Just after a message was sent, a letter is not yet a shortcut unless the field was left on purpose.
  await keyboard.press('Escape');
  await keyboard.press('k');
  await page.waitForURL((url) => !url.pathname.endsWith(ids[1] ?? ''));
  // The row of a closed conversation is gone, and the keys go on in the list.
  const closed = page.url().slice(-24);
  await keyboard.press('e');
  await page.locator(`[data-conversation="${closed}"]`).waitFor({ state: 'detached' });
  await keyboard.press('j');
  await page.waitForURL((url) => !url.pathname.endsWith(closed));
  await keyboard.press('r');
  await waitUntil('the field to have the focus', () => isWriting(page));
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).inputValue(), '');
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await listTexts(id)).length)), [1, 2, 1]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('when E has closed a conversation, the focus is on the row that took its place, and J opens that row', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1)
    ids.push((await writeAsContact(platform, { name: `Fila ${n}`, text: 'Olá' })).conversation._id);
  await orderAtTop(platform, ids);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const { keyboard } = page;
  await page.getByRole('link', { name: /Fila 0/ }).waitFor();
  await keyboard.type('jj');
  await page.waitForURL(`**/${ids[1]}`);
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
  await keyboard.press('e');
  await page.locator(`[data-conversation="${ids[2]}"]:focus`).waitFor();
  await keyboard.press('j');
  await page.waitForURL(`**/${ids[2]}`);
  await page.locator(`[data-conversation="${ids[2]}"]:focus`).waitFor();
  assert.deepEqual(complaints(), []);
  await close();
});

test('E and A change the conversation whose row has the focus, and not the one that was just closed', async () => {
  const ids: string[] = [];
  for (const name of ['Vez Um', 'Vez Dois', 'Vez Sem'])
    ids.push((await writeAsContact(platform, { name, text: 'Olá' })).conversation._id);
  await orderAtTop(platform, ids);
  const read = async (id: string | undefined) => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  const { keyboard } = page;
  await page.getByRole('link', { name: /Vez Um/ }).waitFor();
  await keyboard.press('j');
  await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
  for (const next of [1, 2]) {
    await keyboard.press('e');
    await page.locator(`[data-conversation="${ids[next]}"]:focus`).waitFor();
  }
  await keyboard.press('a');
  await waitUntil('the owner', async () => (await read(ids[2])).owner !== null);
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await read(id)).status)), ['CLOSED', 'CLOSED', 'OPEN']);
  assert.equal((await read(ids[0])).owner, null);
  assert.deepEqual(complaints(), []);
  await close();
});

test('the key after G goes to a screen or does nothing, however late it comes', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Gil Alves', text: 'Oi' });
  const path = `/v1/conversations/${conversation._id}`;
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const { keyboard } = page;
  const hint = page.getByText('G: now press the letter of a screen.');
  await page.clock.install();
  await waitUntil('the field to have the focus', () => isWriting(page));
  await keyboard.press('Escape');
  // No screen has the letter G, and ? would show the keys.
  for (const ends of ['g', '?', 'Escape']) {
    await keyboard.press('g');
    await hint.waitFor();
    await page.clock.fastForward('01:00');
    await keyboard.press(ends);
    await hint.waitFor({ state: 'detached' });
    assert.equal(await isWriting(page), false);
    assert.equal(await page.getByRole('dialog').count(), 0);
  }
  await keyboard.press('a');
  await waitUntil('the owner', async () => (await call(200, 'GET', path)).body.owner !== null);
  await keyboard.press('g');
  await hint.waitFor();
  await page.clock.fastForward('01:00');
  await keyboard.press('a');
  await page.waitForURL('**/audit');
  assert.deepEqual(complaints(), []);
  await close();
});

test('an Enter that opens a conversation with a draft does not send it, whether it is held or pressed twice', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rui Prado', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const field = page.getByRole('textbox', { name: 'Write a message' });
  await field.fill('Um rascunho');
  await page.keyboard.press('Alt+ArrowDown');
  assert.equal(await field.inputValue(), 'Um rascunho');
  await page.reload();
  await waitUntil('the field to have the focus', () => isWriting(page));
  await page.getByRole('link', { name: /Rui Prado/ }).focus();
  for (const press of ['down', 'down', 'up'] as const) await page.keyboard[press]('Enter');
  await page.keyboard.press('Enter');
  await page.locator('[data-composer] textarea:focus').waitFor();
  // What is typed goes on at the end of the draft.
  await page.keyboard.type(' e mais');
  assert.equal(await field.inputValue(), 'Um rascunho e mais');
  assert.deepEqual(await listTexts(conversation._id), ['INCOMING Oi']);
  await page.keyboard.press('Enter');
  await waitForSent(page.getByRole('article').filter({ hasText: 'Um rascunho e mais' }));
  assert.deepEqual(complaints(), []);
  await close();
});

test('E closes the conversation, and the notice about it takes that back', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Eva Costa', text: 'Obrigada' });
  const path = `/v1/conversations/${conversation._id}`;
  const readStatus = async (): Promise<string> => (await call(200, 'GET', path)).body.status;
  await call(200, 'PATCH', path, { body: { status: 'PENDING' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await waitUntil('the field to have the focus', () => isWriting(page));
  await page.keyboard.press('Escape');
  // A key that is held acts once.
  for (const press of ['down', 'down', 'down', 'up'] as const) await page.keyboard[press]('e');
  // A notice stays while the pointer is on it.
  await page.getByText('Conversation closed: Eva Costa').hover();
  assert.equal(await readStatus(), 'CLOSED');
  assert.deepEqual(await findBarriers(page), []);
  const undo = page.getByRole('button', { name: 'Undo' });
  const [button, composer] = [await undo.boundingBox(), await page.locator('[data-composer]').boundingBox()];
  assert.ok(button && composer && button.x + button.width < composer.x, 'the notice is beside the composer');
  await undo.click();
  await page.getByText('Conversation closed').waitFor({ state: 'detached' });
  // The pressed button is gone, so what is typed goes to the reply.
  await page.keyboard.type('era');
  assert.equal(await page.getByRole('textbox', { name: 'Write a message' }).inputValue(), 'era');
  await waitUntil('the state of before', async () => (await readStatus()) === 'PENDING');
  assert.deepEqual(complaints(), []);
  await close();
});

test('what is typed while the search is loaded is searched, and does nothing else', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Rita Nunes', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  const released = Promise.withResolvers<void>();
  await page.route('**/search-dialog*', async (route) => {
    await released.promise;
    await route.continue();
  });
  await waitUntil('the field to have the focus', () => isWriting(page));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('er agendax');
  await page.keyboard.press('Backspace');
  released.resolve();
  const field = page.getByRole('dialog', { name: 'Search and commands' }).getByRole('combobox');
  await field.waitFor();
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('!');
  assert.equal(await field.inputValue(), 'er agenda!');
  const { body } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual([body.status, body.owner], ['OPEN', null]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('single keys work again as soon as the search is left, also when something was typed into it', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Olga Reis', text: 'Oi' });
  await orderAtTop(platform, [conversation._id]);
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/inbox/all' });
  await page.locator(`[data-conversation="${conversation._id}"]`).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('region', { name: 'Olga Reis' }).waitFor();
  await page.keyboard.press('Control+k');
  await waitForDialog(page);
  await page.keyboard.type('zzz');
  await page.keyboard.press('Escape');
  await findDialog(page).waitFor({ state: 'detached' });
  await page.keyboard.press('r');
  await waitUntil('the field to have the focus', () => isWriting(page));
  assert.deepEqual(complaints(), []);
  await close();
});

test('the profile turns single-key shortcuts off in this browser', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Leo Dias', text: 'Oi' });
  const { page, complaints, close } = await openConsole(platform, browser, { path: '/profile' });
  await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck();
  await page.goto(`${platform.url}/console/inbox/all/${conversation._id}`);
  await waitUntil('the field to have the focus', () => isWriting(page));
  await page.keyboard.press('Escape');
  await page.keyboard.type('eagu?');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  assert.match(page.url(), new RegExp(`${conversation._id}$`));
  const { body } = await call(200, 'GET', `/v1/conversations/${conversation._id}`);
  assert.deepEqual([body.status, body.owner], ['OPEN', null]);
  assert.deepEqual(complaints(), []);
  await close();
});

test('what is copied from a spreadsheet is pasted as text, and what is typed in a field outlives the change of another field', async () => {
  const { conversation } = await writeAsContact(platform, { name: 'Nora Reis', text: 'Oi' });
  for (const title of ['Pedido', 'Loja'])
    await call(201, 'POST', '/v1/custom-fields', { body: { title, context: 'conversation', type: 'TEXT' } });
  const { page, complaints, close } = await openConsole(platform, browser, { path: `/inbox/all/${conversation._id}` });
  await waitUntil('the field to have the focus', () => isWriting(page));
  const isLeftToTheBrowser = await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', '12\\t7');
    clipboardData.items.add(new File(['x'], 'cells.png', { type: 'image/png' }));
    return document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  assert.equal(isLeftToTheBrowser, true);
  await page.getByRole('button', { name: 'Contact details' }).click();
  const panel = page.getByRole('complementary', { name: 'Contact details' });
  await panel.getByLabel('Pedido').fill('4821');
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { custom_fields: { loja: 'Centro' } } });
  await waitUntil('the other field', async () => (await panel.getByLabel('Loja').inputValue()) === 'Centro');
  assert.equal(await panel.getByLabel('Pedido').inputValue(), '4821');
  assert.deepEqual(complaints(), []);
  await close();
});
