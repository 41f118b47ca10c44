/** Every file of `fixtures/` is one test: a guarantee, a notification, and all elements that the parser must read from the notification. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseElements } from '../../../test/support/callbacks.ts';
import type { Inbound } from '../channel.ts';
import { listParts } from '../content.ts';
import { phoneKey } from '../../platform/values/phone.ts';
import type { WapPerson } from './person.ts';
import type { Json } from '../values.ts';

interface Fixture {
  guarantee: string;
  callback: unknown;
  /**
   * For a message this lists only the fields that differ from BLANK_MESSAGE; for other elements all fields. The people in `person` and
   * `renamed` are written in the short form of WapPerson.
   */
  expected: Json[];
}

const BLANK_MESSAGE = {
  origin: 'live',
  fromBusiness: false,
  system: false,
  replyTo: null,
  referral: null,
  forwarded: null,
  unsupported: null,
  email: null,
  errors: [],
  historyStatus: null,
  renamed: null,
  content: null,
  media: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
  template: null,
};

/** Returns the person that a fixture writes in the short form. */
function writeOut({ phone, bsuid, parentBsuid, name, username }: WapPerson): Json {
  const ids = [bsuid, parentBsuid].filter((id) => id !== undefined);
  return {
    names: [
      ...(phone === undefined ? [] : [{ kind: 'PHONE', value: phoneKey(phone), address: phone }]),
      ...ids.map((id) => ({ kind: 'BSUID', value: id, address: id })),
    ],
    ...(name === undefined ? {} : { displayName: name }),
    ...(username === undefined ? {} : { username }),
  };
}

function writeOutPeople(item: Json): Json {
  const people = (['person', 'renamed'] as const).filter((field) => item[field]);
  return { ...item, ...Object.fromEntries(people.map((field) => [field, writeOut(item[field] as WapPerson)])) };
}

/** Fixtures list the parts of a content that are null, too. */
const fillParts = (item: Inbound): unknown =>
  item.kind === 'edit'
    ? { ...item, content: listParts(item.content) }
    : item.kind === 'message'
      ? listParts(item)
      : item;

const folder = new URL('./fixtures/', import.meta.url);

for (const file of readdirSync(folder)) {
  const fixture = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Fixture;
  test(`${fixture.guarantee} (${file})`, () => {
    const expected = fixture.expected
      .map(writeOutPeople)
      .map((item) => (item.kind === 'message' ? { ...BLANK_MESSAGE, ...item } : item));
    const read: unknown = JSON.parse(JSON.stringify(parseElements(fixture.callback).map(fillParts)));
    assert.deepEqual(read, expected);
  });
}

test('a body that is no notification gives one unreadable element', () => {
  for (const body of [null, undefined, 7, 'x', [], {}, { entry: {} }]) {
    assert.deepEqual(
      parseElements(body).map((item) => item.kind),
      ['unreadable'],
    );
  }
});

test('an account update without a time gets the present time', () => {
  const change = { field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION' } };
  const before = Date.now();
  const [news] = parseElements({ entry: [{ id: '1', changes: [change] }] });
  assert.ok(news?.kind === 'account');
  assert.ok(before <= news.timestamp.getTime() && news.timestamp.getTime() <= Date.now());
});

test('a received text is never cut, however long it is', () => {
  const body = 'ã'.repeat(70_000);
  const message = { from: '5585991230001', id: 'wamid.1', timestamp: '1781524800', type: 'text', text: { body } };
  const value = { metadata: { phone_number_id: '1' }, messages: [message] };
  const [read] = parseElements({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] });
  assert.ok(read?.kind === 'message' && read.contentType === 'TEXT' && read.content === body);
});
