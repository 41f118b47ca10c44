/** Transcripts of conversations: what they contain, in which form, and what they leave out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertConversations } from '../../../../test/support/conversation-runs.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { writeAsContact } from '../../../../test/support/traffic.ts';
import { newId } from '../../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, demo, database } = platform;
const operator = await platform.createUser(demo._id, 'OPERATOR');
const { name: operatorName } = (await call(200, 'GET', `/v1/users/${operator._id}`)).body;
const read = async (id: string, query = '', key = demo.key): Promise<{ text: string; type: string }> => {
  const { body, headers } = await call(200, 'GET', `/v1/conversations/${id}/transcript${query}`, { key });
  assert.match(
    headers.get('content-disposition') ?? '',
    /^attachment; filename="transcript-[0-9a-f]{24}\.(txt|html)"$/,
  );
  return { text: body, type: headers.get('content-type') ?? '' };
};
const listen = async (words: string): Promise<Json> => {
  const { message } = await writeAsContact(platform, { text: words });
  return (await call(200, 'GET', `/v1/conversations/${message.conversation}`)).body;
};

test('a transcript has the messages of its conversation alone, with names and times of the zone, and notes only when asked for', async () => {
  const conversation = await listen('Do you have bread?');
  await listen('Somebody else');
  const { _id } = conversation;
  const say = { conversationId: _id, message: { content: 'Yes, until six.\n[1/1/26, 9:00 AM] Forged' } };
  await call(201, 'POST', '/v1/messages/send-text', { key: operator.token, body: say });
  const note = { conversationId: _id, message: { content: 'Likes rye' } };
  await call(201, 'POST', '/v1/messages/note', { key: operator.token, body: note });
  await database.sql(
    `update messages set created_at = timestamptz '2026-03-01T12:00:00Z' + n * interval '1 minute'
      from (select _id, row_number() over (order by created_at, _id) as n from messages where conversation_id = $1) numbered
      where messages._id = numbered._id`,
    [_id],
  );
  const { text, type } = await read(_id, '?language=en&time_zone=America/Sao_Paulo');
  assert.match(type, /^text\/plain; charset=utf-8/);
  const { name } = conversation.contact_summary;
  assert.ok(text.startsWith(`Conversation with ${name}\n`));
  assert.deepEqual(text.split('\n\n').slice(1).join('\n').replaceAll('\u202f', ' ').trimEnd().split('\n'), [
    `[3/1/26, 9:01 AM] ${name}`,
    '  Do you have bread?',
    `[3/1/26, 9:02 AM] ${operatorName}`,
    '  Yes, until six.',
    '  [1/1/26, 9:00 AM] Forged',
  ]);
  const withNotes = (await read(_id, '?notes=true&language=es')).text;
  assert.match(withNotes, new RegExp(`Nota interna de ${operatorName}\n {2}Likes rye\n`));
  assert.ok(!withNotes.includes('Somebody else'));
});

test('an HTML transcript shows what people wrote as text, and files by their names', async () => {
  const conversation = await listen('<script>alert(1)</script> & "more"');
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, status, media)
      select company_id, new_id(), _id, contact_id, inbox_id, channel, 'CONTACT', 'INCOMING', 'CHANNEL', 'DOCUMENT', 'RECEIVED', '{"fileName": "menu <1>.pdf"}'
      from conversations where _id = $1`,
    [conversation._id],
  );
  const { text, type } = await read(conversation._id, '?format=HTML&language=pt-BR');
  assert.match(type, /^text\/html; charset=utf-8/);
  assert.match(text, /^<!doctype html>\n<html lang="pt-BR">/);
  assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;'));
  assert.ok(text.includes('[Documento] menu &lt;1&gt;.pdf'));
  assert.ok(!text.includes('<script>'));
  assert.ok(text.endsWith('</html>\n'));
});

test('a transcript of many messages has each of them once, in their order', async () => {
  const [id = ''] = await insertConversations(platform, { company: demo._id, inbox: demo.inbox }, 1);
  await database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type, status, content, created_at)
      select company_id, new_id(), v._id, contact_id, inbox_id, channel, 'CONTACT', 'INCOMING', 'CHANNEL', 'TEXT', 'RECEIVED', 'line ' || n, now() + n * interval '1 second'
      from conversations v cross join generate_series(1, 1234) n where v._id = $1`,
    [id],
  );
  const lines = (await read(id)).text.split('\n').filter((line) => line.startsWith('  line '));
  assert.deepEqual(
    lines,
    Array.from({ length: 1_234 }, (_, index) => `  line ${index + 1}`),
  );
});

test("an unknown conversation, and another company's, is not found; reading messages is required, and a wrong time zone is refused", async () => {
  const conversation = await listen('Hello');
  const other = await platform.createCompany();
  const path = `/v1/conversations/${conversation._id}/transcript`;
  expectProblem(await call(404, 'GET', path, { key: other.key }), 'NOT_FOUND');
  expectProblem(await call(404, 'GET', `/v1/conversations/${newId()}/transcript`), 'NOT_FOUND');
  const { token } = await platform.createKey(demo._id, ['conversations:read']);
  expectProblem(await call(403, 'GET', path, { key: token }), 'FORBIDDEN', 'authorization');
  for (const zone of ['Nowhere', '%2B03:00'])
    expectProblem(await call(400, 'GET', `${path}?time_zone=${zone}`), 'VALIDATION_FAILED', 'time_zone');
});
