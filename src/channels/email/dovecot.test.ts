/** Mailboxes of a real mail server are read: it numbers its mails, finds parts of mails and decodes them in its own way. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { skipWithoutDovecot, startDovecot } from '../../../test/support/dovecot.ts';
import { MAIL_LOG_IN, trustCertificate } from '../../../test/support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail, writeMultipart } from '../../../test/support/mails.ts';
import { openOutside } from '../../../test/support/outside.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Inbound, InboundMessage } from '../channel.ts';
import { findFile, textOf } from '../content.ts';
import type { FetchedItem, FetchedItems, FetchPosition } from '../fetching.ts';
import { checkMailbox, fetchFile, fetchItems } from './fetch.ts';
import { emailSettings } from './settings.ts';
import { translateMail } from './translate.ts';

const access = openOutside({ after });
const company = 'a-company';

test(
  'a mailbox of dovecot is read in portions and to the end, with its files, also after the server has numbered its mails anew (UIDVALIDITY)',
  { skip: skipWithoutDovecot },
  async (context) => {
    const server = await startDovecot(context, trustCertificate(context));
    const config = { ...emailSettings.sample, ...MAIL_LOG_IN, imap_url: `imaps://127.0.0.1:${server.port}` };
    const ask = (extra = {}) => ({ config: { ...config, ...extra }, company, signal: AbortSignal.timeout(600_000) });
    server.deliver(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': '<old@client.example>' }, 'Old'));
    const checked = await checkMailbox(access, ask());
    assert.ok(checked.ok && checked.start);
    const { start } = checked;
    const fetch = async (position: FetchPosition | null): Promise<FetchedItems & { outcome: 'fetched' }> => {
      const fetched = await fetchItems(access, ask(), { company, position, start });
      assert.ok(fetched.outcome === 'fetched', JSON.stringify(fetched));
      return fetched;
    };
    const wrong = await checkMailbox(access, ask({ password: 'wrong' }));
    assert.ok(!wrong.ok && !wrong.retry);

    server.deliver(FILES);
    for (let count = 0; count < 22; count += 1)
      server.deliver(writeMail({ ...SAMPLE_HEADERS, 'Message-ID': `<${count}@client.example>` }, `Text ${count}`));
    const second = await fetch(null);
    assert.deepEqual([second.items.length, second.hasMore], [20, true]);
    const third = await fetch(second.position);
    assert.deepEqual([third.items.length, third.hasMore], [3, false]);
    const fourth = await fetch(third.position);
    assert.deepEqual([fourth.items, fourth.position['lastUid']], [[], 24]);

    // The server numbers mails that arrive at the same moment in any order.
    const messages = await Promise.all([...second.items, ...third.items].map(translate));
    const [text, ...files] = messages.find(([first]) => first?.externalId === 'files@client.example') ?? [];
    assert.equal(text && textOf(text), 'Two files');
    assert.equal(files.length, 2);
    for (const media of files.map(findFile)) {
      assert.ok(media);
      const found = await fetchFile(access, ask(), { company, media, maxBytes: 1_000_000 });
      assert.ok(found.outcome === 'found');
      const bytes = Buffer.concat(await found.body.toArray());
      assert.equal(createHash('sha256').update(bytes).digest('hex'), media.sha256);
    }

    server.forgetNumbers();
    const renumbered = await waitUntil('other numbers', async () => {
      const next = await fetch(third.position);
      return next.items.length > 0 && next;
    });
    assert.deepEqual([renumbered.items.length, renumbered.hasMore], [20, true]);
    assert.notEqual(renumbered.position['numbering'], third.position['numbering']);
  },
);

const FILES = writeMultipart({ ...SAMPLE_HEADERS, 'Message-ID': '<files@client.example>' }, 'mixed', [
  { headers: { 'Content-Type': 'text/plain' }, body: 'Two files' },
  {
    headers: { 'Content-Type': 'application/pdf; name="order.pdf"', 'Content-Transfer-Encoding': 'base64' },
    body: Buffer.from(`%PDF-1.7\n${'x'.repeat(200_000)}`)
      .toString('base64')
      .replaceAll(/.{76}/g, '$&\r\n'),
  },
  {
    headers: { 'Content-Type': 'image/png; name="a.png"', 'Content-Transfer-Encoding': 'quoted-printable' },
    body: '=89PNG=0D=0A=1A=0A=',
  },
]);

async function translate({ raw, position: _position, ...rest }: FetchedItem): Promise<InboundMessage[]> {
  const elements = await translateMail({ ...rest, address: 'support', raw: Readable.from([raw]) });
  return elements.filter((each: Inbound | null) => each?.kind === 'message');
}
