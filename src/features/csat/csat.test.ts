/** Satisfaction surveys: who is asked, how each channel asks, and what an answer changes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MAIL_LOG_IN, startSmtpServer, trustCertificate } from '../../../test/support/mail-servers.ts';
import { pushMail, SAMPLE_HEADERS, writeMail } from '../../../test/support/mails.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import {
  listNetworkMessages,
  readEvents,
  sendText,
  silenceNetwork,
  writeAsContact,
} from '../../../test/support/traffic.ts';
import { openSite, visit } from '../../../test/support/web-chat.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { sendOnce } from '../sends/due/loop.ts';
import { lockSurvey } from './queries.ts';
import { CSAT_SURVEYS } from './source.ts';

const certificate = trustCertificate({ after });
const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;

const QUESTION = 'Were you satisfied?';
const setInbox = (body: Json, inbox = demo.inbox): Promise<unknown> =>
  call(200, 'PUT', `/v1/inboxes/${inbox}`, { body });
await setInbox({ csat_question: QUESTION });

const close = (conversation: string): Promise<unknown> =>
  call(200, 'PATCH', `/v1/conversations/${conversation}`, { body: { status: 'CLOSED' } });
const list = async (query: string): Promise<Json[]> =>
  (await call(200, 'GET', `/v1/csat-surveys?${query}`)).body.result;
const readConversation = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/conversations/${id}`)).body;
const awaitSurvey = (conversation: string): Promise<Json> =>
  waitUntil('the survey to be sent', async () => (await list(`conversation=${conversation}`))[0]);
/** Waits until all surveys that were left have ended, so that what got none then gets none. */
const settle = (): Promise<unknown> =>
  waitUntil('all surveys to end', async () => {
    return (await database.sql('select from csat_surveys where ended_at is null')).length === 0;
  });
/** A contact writes, is answered, and the conversation is closed. */
async function serve(from = makePhoneNumber()): Promise<{ from: string; conversation: string; contact: string }> {
  const { conversation, contact } = await writeAsContact(platform, { from });
  await sendText(platform, conversation._id);
  await close(conversation._id);
  return { from, conversation: conversation._id, contact: contact._id };
}
const press = (from: string, id: string): Promise<Json> =>
  platform.sandbox('POST', '/sandbox/inbound', {
    from,
    raw: { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id, title: 'Good' } } },
  });

test('a contact is asked with three buttons, and a press rates the conversation once, which stays closed and read', async () => {
  const { from, conversation } = await serve();
  const survey = await awaitSurvey(conversation);
  const [sent] = await listNetworkMessages(platform, survey['message']);
  const { body, action } = (sent ?? assert.fail('nothing was sent'))['body'].interactive;
  assert.deepEqual([body.text, action.buttons.length], [QUESTION, 3]);
  const ids = action.buttons.map(({ reply }: Json) => reply.id);
  await press(from, ids[0]);
  await press(from, ids[2]);
  const [rated, ...more] = await list(`conversation=${conversation}&rated=true`);
  assert.deepEqual([rated?.['score'], rated?.['comment'], more], [5, null, []]);
  assert.deepEqual(await call(200, 'GET', `/v1/csat-surveys/${survey['_id']}`).then(({ body: read }) => read), rated);
  assert.deepEqual(await readEvents(platform, survey['_id']), [{ event: 'CSAT_RATED', data: rated }]);
  const { status, unread_count } = await readConversation(conversation);
  assert.deepEqual([status, unread_count], ['CLOSED', 0]);
  assert.equal((await call(200, 'GET', `/v1/conversations?contact=${rated?.['contact']}`)).body.result.length, 1);
});

test('a press of another contact, or of a button that names no survey, rates nothing', async () => {
  const { conversation } = await serve();
  const { _id } = await awaitSurvey(conversation);
  const other = makePhoneNumber();
  await writeAsContact(platform, { from: other });
  await press(other, `csat:${_id}:1`);
  await press(other, `csat:${demo._id}:1`);
  assert.deepEqual(await list(`conversation=${conversation}&rated=true`), []);
});

test('who was not answered, was asked within 7 days, wrote more than 7 days ago, is blocked or has opted out is not asked', async () => {
  const again = await serve();
  await awaitSurvey(again.conversation);
  const { conversation: unanswered } = await writeAsContact(platform);
  await close(unanswered._id);
  const { conversation: soon } = await writeAsContact(platform, { from: again.from });
  await sendText(platform, soon._id);
  await close(soon._id);
  const { conversation: old } = await writeAsContact(platform);
  await sendText(platform, old._id);
  await database.sql(`update conversations set last_inbound_at = now() - interval '8 days' where _id = $1`, [old._id]);
  await close(old._id);
  const refused: string[] = [];
  const lastFrom = makePhoneNumber();
  let lastRefused = '';
  for (const [from, change] of [
    [makePhoneNumber(), { blocked: true }],
    [lastFrom, { opted_out: true }],
  ] as const) {
    const { conversation, contact } = await writeAsContact(platform, { from });
    lastRefused = contact._id;
    await sendText(platform, conversation._id);
    await call(200, 'PATCH', `/v1/contacts/${contact._id}`, { body: change });
    await close(conversation._id);
    refused.push(conversation._id);
  }
  await settle();
  // A question that was not sent does not count as asked.
  await call(200, 'PATCH', `/v1/contacts/${lastRefused}`, { body: { opted_out: false } });
  const { conversation: later } = await writeAsContact(platform, { from: lastFrom });
  await sendText(platform, later._id);
  await close(later._id);
  await awaitSurvey(later._id);
  for (const conversation of [unanswered._id, soon._id, old._id, ...refused])
    assert.deepEqual(await list(`conversation=${conversation}`), []);
});

test('a survey is sent once by two workers that have it, and not after the conversation was reopened or the question removed', async () => {
  await settle();
  await database.sql('alter table csat_surveys alter column is_waiting set default false');
  const hold = async () => {
    const { conversation } = await serve();
    const [row] = await database.sql<{ _id: string }>(
      `update csat_surveys set claimed_at = now(), held_until = now() + interval '1 hour', attempts = 1 where conversation_id = $1 returning _id`,
      [conversation],
    );
    const _id = row?._id ?? '';
    const due = await kit.database.tenantTx(demo._id, (tx) => lockSurvey(tx, _id));
    return { conversation, claimed: { company: demo._id, _id, attempts: 1, claimed_at: due?.claimed_at ?? '' } };
  };
  const [twice, reopened, removed] = [await hold(), await hold(), await hold()];
  await call(200, 'PATCH', `/v1/conversations/${reopened.conversation}`, { body: { status: 'OPEN' } });
  await Promise.all([1, 2].map(() => sendOnce(kit, CSAT_SURVEYS, twice.claimed)));
  await sendOnce(kit, CSAT_SURVEYS, reopened.claimed);
  await setInbox({ csat_question: null });
  await sendOnce(kit, CSAT_SURVEYS, removed.claimed);
  await setInbox({ csat_question: QUESTION });
  await database.sql('alter table csat_surveys alter column is_waiting set default true');
  await settle();
  const asked = await call(200, 'GET', `/v1/messages/conversation/${twice.conversation}`);
  assert.equal(asked.body.result.filter(({ origin }: Json) => origin === 'CSAT').length, 1);
  for (const { conversation } of [reopened, removed]) assert.deepEqual(await list(`conversation=${conversation}`), []);
});

test('a visitor of a web chat is asked with five stars', async () => {
  const site = await openSite(platform);
  await setInbox({ csat_question: QUESTION }, site);
  const visitor = await visit(platform, site);
  const { _id } = await visitor.write('Hello');
  const { body: written } = await call(200, 'GET', `/v1/messages/${_id}`);
  await sendText(platform, written.conversation);
  await close(written.conversation);
  const survey = await awaitSurvey(written.conversation);
  const asked = (await visitor.list()).result.find(({ content }: Json) => content === QUESTION);
  assert.deepEqual(
    asked?.['buttons'].map(({ title }: Json) => title),
    ['★★★★★', '★★★★', '★★★', '★★', '★'],
  );
  await visitor.write('★★★★', { reply_to: survey['message'], button: asked?.['buttons'][1].id });
  assert.equal((await list(`inbox=${site}`))[0]?.['score'], 4);
  assert.equal((await readConversation(written.conversation))['status'], 'CLOSED');
});

test('the reader of a mail rates on a page, whose first answer counts, and whose link no one can make', async () => {
  const smtp = await startSmtpServer({ after }, certificate);
  const hook_secret = 'a-secret-of-the-mail-server-4711';
  const email_config = {
    ...MAIL_LOG_IN,
    address: 'a@shop.example',
    smtp_url: `smtps://127.0.0.1:${smtp.port}`,
    hook_secret,
  };
  const given = { channel: 'EMAIL', name: 'Mails', email_config, csat_question: 'Satisfied <now>?' };
  const { body: inbox } = await call(201, 'POST', '/v1/inboxes', { body: given });
  const raw = writeMail({ ...SAMPLE_HEADERS, From: 'Ana <ana@client.example>', 'Message-ID': '<m1>' }, 'Hi');
  await pushMail(`${platform.url}/hooks/email/${inbox._id}`, hook_secret, raw);
  const { conversation } = (await call(200, 'GET', `/v1/messages?inbox=${inbox._id}`)).body.result[0];
  await sendText(platform, conversation);
  await close(conversation);
  const survey = await awaitSurvey(conversation);
  const { body: message } = await call(200, 'GET', `/v1/messages/${survey['message']}`);
  const link = String(/\S+\/csat\/\S+/.exec(message.content)?.[0]);
  const page = await fetch(`${link}?score=4`);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<h1>Satisfied &lt;now&gt;\?<\/h1>[^]*value="4" required checked/);
  assert.deepEqual(await list(`conversation=${conversation}&rated=true`), []);
  const post = (address: string, fields: Record<string, string>) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(fields) });
  assert.match(await (await post(link, { score: '6' })).text(), /<form/);
  assert.doesNotMatch(await (await post(link, { score: '2', comment: ' Slow <b> ' })).text(), /<form/);
  assert.equal((await post(link, { score: '5' })).status, 200);
  const [rated] = await list(`conversation=${conversation}`);
  assert.deepEqual([rated?.['score'], rated?.['comment']], [2, 'Slow <b>']);
  assert.equal((await readConversation(conversation))['status'], 'CLOSED');
  const { _id: other } = await platform.createCompany();
  const token = link.slice(link.lastIndexOf('/') + 1);
  for (const broken of ['x', `${token}x`, other + token.slice(24), token.slice(0, 24) + inbox._id + token.slice(48)])
    assert.equal((await fetch(link.slice(0, -token.length) + broken)).status, 404);
});

test('reports count what was sent and rated for the user who was the owner at the close', async () => {
  const { body: user } = await call(201, 'POST', '/v1/users', {
    body: { name: 'Bia', email: 'bia@shop.example', role: 'OPERATOR' },
  });
  const from = makePhoneNumber();
  const { conversation } = await writeAsContact(platform, { from });
  await sendText(platform, conversation._id);
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { body: { owner: user._id } });
  await close(conversation._id);
  const survey = await awaitSurvey(conversation._id);
  assert.equal(survey['user'], user._id);
  await press(from, `csat:${survey['_id']}:3`);
  const { figures } = (await call(200, 'GET', `/v1/reports/summary?user=${user._id}`)).body;
  assert.deepEqual(figures.csat, { sent: 1, rated: 1, average: 3, satisfied: 0 });
  await waitUntil('all facts to be counted', async () => (await database.sql('select from report_facts')).length === 0);
  const { rows } = (await call(200, 'GET', '/v1/reports/breakdown?by=USER')).body;
  assert.deepEqual(rows.find(({ id }: Json) => id === user._id)?.figures.csat, figures.csat);
});

test('filters that name nothing, or a record of another company, are refused', async () => {
  const other = await platform.createCompany();
  const unknown = (await call(201, 'POST', '/v1/agents', { body: { name: 'Ana', type: 'AI' }, key: other.key })).body
    ._id;
  for (const path of ['conversation', 'inbox', 'user', 'agent'])
    expectProblem(await call(400, 'GET', `/v1/csat-surveys?${path}=${unknown}`), 'UNKNOWN_REFERENCE', path);
});

test('the list refuses who may not read conversations', () =>
  checkRefusals(platform, { method: 'GET', path: '/v1/csat-surveys', scope: 'conversations:read' }));
