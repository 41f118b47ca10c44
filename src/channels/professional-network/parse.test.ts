/** Events of the gateway become elements of the platform, whatever is in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertStorable, mutate } from '../../../test/support/mutations.ts';
import { createRandom } from '../../../test/support/random.ts';
import { readSeed } from '../../../test/full/harness/chance.ts';
import type { Inbound } from '../channel.ts';
import { listParts } from '../content.ts';
import { readFileName } from './content.ts';
import { findAccount, parseEvent } from './parse.ts';
import { findChat } from './person.ts';
import { networkSamples } from './samples.ts';

const parse = (body: unknown): (Inbound | null)[] => [...parseEvent(body)];
const [received = {}] = networkSamples.callbacks as Record<string, unknown>[];
const readMessages = (more: object) =>
  parse({ ...received, ...more }).map((element) => {
    assert.ok(element?.kind === 'message');
    return { ...element, ...listParts(element) };
  });

const file = (type: string, more: object = {}) => ({ type, id: 'a-1', mimetype: 'x/y', file_size: 7, ...more });

/** Messages by the contents that they have to get. */
const CONTENTS: [more: object, contents: [contentType: string, text: string | null][]][] = [
  [{ message: 'Oi' }, [['TEXT', 'Oi']]],
  [{ message: 'Veja', attachments: [file('img')] }, [['IMAGE', 'Veja']]],
  [{ message: null, attachments: [file('video')] }, [['VIDEO', null]]],
  [{ message: null, attachments: [file('audio', { voice_note: true })] }, [['AUDIO', null]]],
  [
    { message: 'Dois', attachments: [file('file'), file('img')] },
    [
      ['DOCUMENT', 'Dois'],
      ['IMAGE', null],
    ],
  ],
  [
    { message: 'Li isto', attachments: [file('linkedin_post')] },
    [
      ['TEXT', 'Li isto'],
      ['UNSUPPORTED', null],
    ],
  ],
  [{ message: null, message_type: 'INVITATION' }, [['UNSUPPORTED', null]]],
];

test('each message has its contents, of which the first has its id, and one that is not understood is kept as it came', () => {
  for (const [more, contents] of CONTENTS) {
    const read = readMessages(more);
    assert.deepEqual(
      read.map(({ contentType, content }) => [contentType, content]),
      contents,
    );
    assert.equal(read[0]?.externalId, 'm-1');
    assert.equal(new Set(read.map(({ externalId }) => externalId)).size, read.length);
  }
});

test('the account among the attendees makes no group of a chat of two, and attachments need not be a list', () => {
  const [self, kim] = ['ACoAAself', 'ACoAAkim'].map((id) => ({ attendee_provider_id: id, attendee_name: id }));
  const more = { account_info: { user_id: 'ACoAAself' }, is_group: false, attendees: [self, kim] };
  for (const sender of [self, kim]) {
    const [read] = readMessages({ ...more, sender });
    assert.deepEqual(read?.person.displayName, 'ACoAAkim');
  }
  const third = { attendee_provider_id: 'ACoAAlia' };
  assert.deepEqual(parse({ ...received, ...more, attendees: [self, kim, third] }), [null]);
  for (const attachments of [file('img'), { 0: file('img') }])
    assert.equal(readMessages({ attachments })[0]?.contentType, 'IMAGE');
});

test('a file is named by its message and itself, and one that the network does not have any more has no name', () => {
  const [there] = readMessages({ attachments: [file('img')] });
  assert.deepEqual(readFileName(there?.media?.networkId ?? ''), ['m-1', 'a-1']);
  const [gone] = readMessages({ attachments: [file('img', { unavailable: 1 })] });
  assert.equal(gone?.media?.networkId, null);
});

test('the ids of the sender and of the account decide who wrote, and else the flag, as a number or a boolean', () => {
  const isEcho = (more: object): boolean => readMessages(more)[0]?.fromBusiness === true;
  const own = { attendee_provider_id: (received.account_info as { user_id: string }).user_id };
  assert.equal(isEcho({ is_sender: false, sender: own }), true);
  assert.equal(isEcho({ is_sender: true }), false);
  for (const flag of [true, 1, '1', 'true']) assert.equal(isEcho({ is_sender: flag, account_info: null }), true);
  for (const flag of [false, 0, null]) assert.equal(isEcho({ is_sender: flag, account_info: null }), false);
});

test('a person has the name of the profile, the id and the chat, in this order, and the time is that of the message', () => {
  const [message] = readMessages({});
  assert.ok(message);
  assert.deepEqual(
    message.person.names.map(({ value }) => value),
    ['ana-sa', 'ACoAAAnaAnaAnaAnaAnaAnaAnaAnaAnaAna0001', 'account-1/chat-1'],
  );
  assert.deepEqual([findChat(message.person, 'account-1'), findChat(message.person, 'account')], ['chat-1', null]);
  assert.equal(message.timestamp.toISOString(), '2026-06-15T12:00:00.000Z');
});

test('the same reaction has the same id, and another one has another', () => {
  const reaction = { event: 'message_reaction', reaction: '👍', reaction_sender: received.sender };
  const react = (more: object): string | undefined => readMessages({ ...reaction, ...more })[0]?.externalId;
  assert.equal(react({}), react({}));
  assert.notEqual(react({}), react({ reaction: '🎉' }));
  assert.notEqual(react({}), react({ message_id: 'm-9' }));
});

test('the account of an event is found in its bytes, and in nothing that someone writes', () => {
  assert.equal(findAccount(Buffer.from(JSON.stringify(received))), 'account-1');
  assert.equal(findAccount(Buffer.from('{"message":"\\"account_id\\":\\"x\\"","account_id":"acc"}')), 'acc');
  assert.equal(findAccount(Buffer.from('no json')), '');
});

// A round takes a millisecond.
const ROUNDS = 2_000;

test('an event that no gateway would send is parsed to elements that can be stored', () => {
  const random = createRandom(readSeed());
  const pick = (): unknown => networkSamples.callbacks[Math.floor(random() * networkSamples.callbacks.length)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const event = structuredClone(pick());
    mutate(event, structuredClone(pick()), random);
    for (const element of parse(event)) {
      if (!element) continue;
      assertStorable(element);
      if (element.kind === 'message') assert.ok(element.person.names.length > 0);
      if ('externalId' in element) assert.ok(element.externalId !== '' && element.externalId.length <= 512);
    }
  }
});
