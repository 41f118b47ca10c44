/** What a person can send from the sandbox's phone page, in a real browser, to a real platform. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage, startBrowser } from '../support/browser.ts';
import { makeGif } from '../support/media-samples.ts';
import { startPlatform, type Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const platform = await startPlatform();
const browser = await startBrowser();

const FROM = '5511988887777';

async function openPhone(): Promise<Page> {
  const { page } = await openPage(browser);
  await page.goto(`${platform.sandboxUrl}/phone`);
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

/** Chooses a file: one of the sandbox's samples by its name, or one with this content. */
async function choose(page: Page, name: string, buffer?: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'File…' }).click();
  await (await chooser).setFiles(buffer ? { name, mimeType: '', buffer } : `sandbox/samples/${name}`);
}

/** Waits until the platform has stored this many messages of the person, and returns them from the first to the last. */
const readReceived = (count: number): Promise<Json[]> =>
  waitUntil('the messages of the person', async () => {
    const { body: conversations } = await platform.call(200, 'GET', '/v1/conversations');
    const [conversation] = conversations.result;
    if (!conversation) return null;
    const { body } = await platform.call(200, 'GET', `/v1/messages/conversation/${conversation._id}`);
    const received = body.result.filter((message: Json) => message.message_type === 'INCOMING');
    return received.length === count ? received : null;
  });

test('a person on the phone page sends a picture, a voice note, a video, a document and a sticker by choosing the file, and sees and hears each', async () => {
  const page = await openPhone();
  const last = page.getByRole('listitem').last();
  await page.getByLabel('Message', { exact: true }).fill('Fresh bread');
  await choose(page, 'picture.jpg');
  await last.getByText('Fresh bread').waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), '');
  await choose(page, 'voice.ogg');
  await page.locator('audio').waitFor();
  await choose(page, 'video.mp4');
  await page.locator('video').waitFor();
  await choose(page, 'order.pdf');
  const link = page.getByRole('link', { name: 'order.pdf' });
  await link.waitFor();
  await choose(page, 'sticker.webp');
  await page.locator('img.sticker').waitFor();

  await page.reload();
  for (const seen of ['img.image.naturalWidth', 'img.sticker.naturalWidth', 'audio.duration', 'video.duration']) {
    const [selector, property] = seen.split(/\.(?=\w+$)/);
    // The page's own policy forbids waitForFunction() to look again and again.
    await waitUntil(`${selector} to load`, () =>
      page.evaluate<boolean>(`document.querySelector('${selector}')?.${property} > 0`),
    );
  }
  const download = page.waitForEvent('download');
  await link.click();
  assert.equal((await download).suggestedFilename(), 'order.pdf');

  const received = await readReceived(5);
  assert.deepEqual(
    received.map(({ contentType, content, media }) => [contentType, content, media.fileName]),
    [
      ['IMAGE', 'Fresh bread', null],
      ['AUDIO', null, null],
      ['VIDEO', null, null],
      ['DOCUMENT', null, 'order.pdf'],
      ['STICKER', null, null],
    ],
  );
  for (const [index, name] of ['picture.jpg', 'voice.ogg', 'video.mp4', 'order.pdf', 'sticker.webp'].entries()) {
    const file = await fetch(received[index].media.url);
    assert.equal(file.status, 200);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), await readFile(`sandbox/samples/${name}`), name);
  }
});

test('the phone page says why the network would refuse a file, and sends nothing', async () => {
  const page = await openPhone();
  const trouble = page.getByRole('alert');
  await page.getByLabel('Message', { exact: true }).fill('Look');
  for (const [name, data, reason] of [
    ['party.gif', makeGif(), 'The network does not take image/gif. It takes image/jpeg, image/png,'],
    ['large.png', Buffer.alloc(5 * 2 ** 20 + 1), 'The network takes at most 5120 kB of image/png.'],
    ['empty.pdf', Buffer.alloc(0), 'The file is empty.'],
  ] as const) {
    await choose(page, name, data);
    await trouble.getByText(reason).waitFor();
    assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Look');
  }
  assert.equal((await readReceived(5)).length, 5);
});

test('a tapped button of a template arrives with the payload that the message gave it', async () => {
  const page = await openPhone();
  const components = [
    {
      parameters: [
        { parameter_name: 'first_name', text: 'Ana' },
        { parameter_name: 'date', text: 'hoje' },
      ],
    },
    { index: '1', parameters: [{ payload: 'another-day' }] },
  ];
  const { body: sent } = await platform.call(201, 'POST', '/v1/messages/send-template', {
    body: {
      inboxId: platform.demo.inbox,
      phone: `+${FROM}`,
      message: { template: { name: 'appointment_reminder', language: 'pt_BR', components } },
    },
  });
  await page.getByRole('button', { name: 'Remarcar' }).click();
  await readReceived(6);
  await page.getByRole('button', { name: 'Confirmar' }).click();
  const taps = (await readReceived(7)).slice(5);
  assert.deepEqual(
    taps.map(({ content, interactive, reply_to }) => [content, interactive.type, interactive.payload, reply_to]),
    [
      ['Remarcar', 'button', 'another-day', sent._id],
      ['Confirmar', 'button', 'Confirmar', sent._id],
    ],
  );
});
