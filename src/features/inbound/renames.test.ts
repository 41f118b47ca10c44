/** People whose number or id at the network changes: one person stays one contact, whatever arrives first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectPhone,
  makeBsuid,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  postAndReadMessage,
  findStoredMessage,
  makeMessageId,
} from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const network = await openNetwork(platform);
const phone = await connectPhone(platform);

const receive = (message: Json): Promise<Json> => postAndReadMessage({ platform, network, phone }, message);

const readContact = async (message: Json): Promise<Json> =>
  (await platform.call(200, 'GET', `/v1/contacts/${message.contact}`)).body;

const idChange = (old: string, renewed: string) => ({
  from_user_id: renewed,
  type: 'system',
  system: { type: 'user_changed_user_id', body: 'changed', previous_user_id: old, user_id: renewed },
});
const numberChange = (old: string, renewed: string) => ({
  from: old,
  type: 'system',
  system: { type: 'user_changed_number', body: 'changed', wa_id: renewed },
});
const CHANGES = [
  { what: 'id', fresh: makeBsuid, named: (bsuid: string) => ({ from_user_id: bsuid }), change: idChange },
  { what: 'number', fresh: makePhoneNumber, named: (from: string) => ({ from }), change: numberChange },
];
/** Returns the contact of each number or id, which it finds by sending a message under it now. */
const contactsBehind = async (...names: Json[]): Promise<string[]> => {
  const contacts: string[] = [];
  for (const name of names) contacts.push((await receive(name)).contact);
  return contacts;
};

for (const { what, fresh, named, change } of CHANGES) {
  test(`the notice of a changed ${what} and a message under the new one, in one callback in either order, give one contact`, async () => {
    for (const isNoticeFirst of [true, false]) {
      const [old, renewed] = [fresh(), fresh()];
      const before = await receive(named(old));
      const [notice, text] = [change(old, renewed), named(renewed)];
      const [noticeId, textId] = [makeMessageId(), makeMessageId()];
      const messages = [
        { ...notice, id: noticeId },
        { ...text, id: textId },
      ];
      await network.post(200, buildMessageNotification(phone, ...(isNoticeFirst ? messages : messages.toReversed())));
      assert.equal((await findStoredMessage(platform, phone, textId)).contact, before.contact);
      assert.deepEqual(await contactsBehind(named(old), named(renewed)), [before.contact, before.contact]);
    }
  });

  test(`a changed ${what} makes one contact when the old and the new one are first seen in the same callback`, async () => {
    const [old, renewed] = [fresh(), fresh()];
    const ids = [makeMessageId(), makeMessageId(), makeMessageId()];
    const messages = [named(old), change(old, renewed), named(renewed)].map((message, n) => ({
      ...message,
      id: ids[n],
    }));
    await network.post(200, buildMessageNotification(phone, ...messages));
    const [first, last] = [
      await findStoredMessage(platform, phone, ids[0] ?? ''),
      await findStoredMessage(platform, phone, ids[2] ?? ''),
    ];
    assert.equal(first.contact, last.contact);
    assert.deepEqual(await contactsBehind(named(old), named(renewed)), [first.contact, first.contact]);
  });

  test(`a changed ${what} and a message under the new one, posted at the same moment for 20 people, give one contact each`, async () => {
    for (let pair = 0; pair < 20; pair += 1) {
      const [old, renewed] = [fresh(), fresh()];
      const before = await receive(named(old));
      await Promise.all([
        network.post(200, buildMessageNotification(phone, { ...change(old, renewed), id: makeMessageId() })),
        network.post(200, buildMessageNotification(phone, { ...named(renewed), id: makeMessageId() })),
      ]);
      await waitUntil('the two to be one contact', async () => {
        const rows = await platform.database.sql<{ contact_id: string }>(
          `select distinct contact_id from contact_identities where company_id = $1 and value = any($2)`,
          [platform.demo._id, [old, renewed]],
        );
        return rows.length === 1 && rows[0]?.contact_id === before.contact;
      });
    }
  });

  test(`the notice of a changed ${what} merges the contacts of the old and the new one with their messages when both exist`, async () => {
    const [old, renewed] = [fresh(), fresh()];
    const [older, younger] = [await receive(named(old)), await receive(named(renewed))];
    assert.notEqual(older.contact, younger.contact);
    await network.post(200, buildMessageNotification(phone, { ...change(old, renewed), id: makeMessageId() }));
    await waitUntil(
      'the younger contact to be merged',
      async () => !(await platform.database.sql('select 1 from contacts where _id = $1', [younger.contact]))[0],
    );
    assert.deepEqual(await contactsBehind(named(old), named(renewed)), [older.contact, older.contact]);
    const { body } = await platform.call(200, 'GET', `/v1/messages/${younger._id}`);
    assert.equal(body.contact, older.contact);
    if (what === 'number') assert.equal((await readContact(older)).phone_number, `+${renewed}`);
  });

  test(`a changed ${what} of an unknown person makes no contact, conversation or event; a contact known by the new one gains the old one`, async () => {
    const [old, renewed] = [fresh(), fresh()];
    const count = async () =>
      (
        await platform.database.sql<{ n: number }>(
          `select (select count(*) from contacts)::int + (select count(*) from conversations)::int
            + (select count(*) from messages)::int + (select count(*) from deliveries)::int as n`,
        )
      )[0]?.n;
    const before = await count();
    await network.post(200, buildMessageNotification(phone, { ...change(old, renewed), id: makeMessageId() }));
    assert.equal(await count(), before);
    const known = await receive(named(renewed));
    await network.post(200, buildMessageNotification(phone, { ...change(old, renewed), id: makeMessageId() }));
    assert.deepEqual(await contactsBehind(named(old)), [known.contact]);
  });
}
