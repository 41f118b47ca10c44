/** Mails to users who are away from the console. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { startSmtpServer } from '../../../../test/support/mail-servers.ts';
import { receiveFromOtherRecipient } from '../../../../test/support/mails.ts';
import { createPerson } from '../../../../test/support/people.ts';
import { startPlatform } from '../../../../test/support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { mailAwayJob, sendAwayMailJob } from '../jobs.ts';
import { listAway } from './away-queries.ts';
import { mailAway, sendAwayMail } from './away.ts';

/** Mailboxes at which the mail server does not answer, and how many mails to them it has been asked to take, and were given up. */
const hung = { mailboxes: new Set<string>(), begun: 0, ended: 0, answers: [] as (() => void)[] };
const smtp = await startSmtpServer(
  { after },
  {
    secure: false,
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => {
      if (!hung.mailboxes.has(address)) return done();
      hung.begun += 1;
      hung.answers.push(done);
    },
    onClose: ({ envelope }) => {
      const isHung = envelope.rcptTo.length === 0 && envelope.mailFrom !== false;
      if (isHung) hung.ended += 1;
    },
  },
);
const platform = await startPlatform({ env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
await silenceNetwork(platform);
const { call, database, demo } = platform;
const { kit } = platform.running;
// The schedule of the platform would take the mails of the tests.
await database.sql(`delete from pgboss.schedule where name = 'notifications.mail-away'`);
const carla = await platform.createUser(demo._id, 'OPERATOR', 'Carla');

type Person = Awaited<ReturnType<typeof createPerson>>;

const note = (conversationId: string, to: Person): Promise<unknown> =>
  call(201, 'POST', '/v1/messages/note', {
    key: carla.token,
    body: { conversationId, message: { content: 'A secret' }, mentions: [to._id] },
  });
const mention = async (to: Person, name: string): Promise<string> => {
  const { conversation } = await writeAsContact(platform, { name });
  await note(conversation._id, to);
  return conversation._id;
};
/** Makes all notifications of the user, and what is known of their activity, as much older. */
const pass = async (user: Person, minutes: number): Promise<void> => {
  const values = [user._id, minutes];
  await database.sql(
    `update notifications set created_at = created_at - make_interval(mins => $2), mailed_at = mailed_at - make_interval(mins => $2) where user_id = $1`,
    values,
  );
  await database.sql(
    `update user_activity set active_at = active_at - make_interval(mins => $2), mailed_at = mailed_at - make_interval(mins => $2) where user_id = $1`,
    values,
  );
};
const run = (isLastTry = false): Promise<void> => mailAway(kit, (_tx, away) => sendAwayMail(kit, away, isLastTry));
const mailsTo = async ({ email }: Person) =>
  Promise.all(
    smtp.taken.filter(({ to }) => to.includes(email)).map(({ raw }) => simpleParser(Buffer.from(raw, 'latin1'))),
  );
const beActive = ({ token: key }: Person): Promise<unknown> => call(200, 'PUT', '/v1/notifications/active', { key });
async function createAway(): Promise<Person> {
  const person = await createPerson(platform, demo._id, 'OPERATOR');
  await beActive(person);
  return person;
}

test('a user who is away gets one mail in their language that lists what is unread, with links to the conversations and the settings', async () => {
  const ana = await createAway();
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { language: 'es' } });
  const first = await mention(ana, 'Maria');
  await mention(ana, 'Greta');
  await run();
  assert.deepEqual(await mailsTo(ana), []);
  await pass(ana, 16);
  await run();
  const [mail, ...others] = await mailsTo(ana);
  assert.match(mail?.subject ?? '', /^2 notificaciones sin leer · /);
  assert.match(mail?.text ?? '', /Carla le mencionó en la conversación con Greta[^]*con Maria/);
  assert.ok(mail?.text?.includes(`/console/inbox/all/${first}`) && mail.text.includes('/console/profile'));
  assert.ok(!mail?.text?.includes('A secret'));
  assert.deepEqual(others, []);
});

test('the mail names the author of another recipient’s answer to a mail, not the contact', async () => {
  const ana = await createAway();
  const REPLIED = { console: true, browser: true, mail: true };
  await call(200, 'PUT', '/v1/notification-settings', { key: ana.token, body: { REPLIED } });
  await receiveFromOtherRecipient({ after }, platform, ana._id);
  await pass(ana, 16);
  await run();
  const [mail] = await mailsTo(ana);
  assert.match(mail?.text ?? '', /Max respondeu/);
  assert.doesNotMatch(mail?.text ?? '', /Yara respondeu/);
});

test('a user who stays away gets no further mail within an hour, and then one about what is new', async () => {
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  await run();
  await mention(ana, 'Greta');
  await pass(ana, 30);
  await run();
  assert.equal((await mailsTo(ana)).length, 1);
  await pass(ana, 31);
  await run();
  const [, second] = await mailsTo(ana);
  assert.match(second?.text ?? '', /Greta/);
  assert.doesNotMatch(second?.text ?? '', /Maria/);
});

test('a user who has been in the console is mailed again only after being away for fifteen minutes', async () => {
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  await run();
  await mention(ana, 'Greta');
  await pass(ana, 16);
  await beActive(ana);
  await run();
  assert.equal((await mailsTo(ana)).length, 1);
  await pass(ana, 16);
  await run();
  assert.equal((await mailsTo(ana)).length, 2);
});

test('a mail lists twenty notifications and counts the others, and what is read or not wanted by mail is not in it', async () => {
  const ana = await createAway();
  for (let count = 0; count < 22; count += 1) await mention(ana, `Contact ${count}.`);
  const read = await mention(ana, 'Read');
  await call(200, 'PUT', `/v1/conversations/${read}/read`, { key: ana.token });
  const { conversation } = await writeAsContact(platform, { name: 'Assigned' });
  const off = { console: true, browser: true, mail: false };
  await call(200, 'PUT', '/v1/notification-settings', { key: ana.token, body: { ASSIGNED: off } });
  await call(200, 'PATCH', `/v1/conversations/${conversation._id}`, { key: carla.token, body: { owner: ana._id } });
  await pass(ana, 16);
  await run();
  const text = (await mailsTo(ana))[0]?.text ?? '';
  assert.equal(text.match(/Contact \d+/g)?.length, 20);
  assert.match(text, /mais 2\n/);
  assert.doesNotMatch(text, /Read|Assigned/);
});

/** Makes the next mail to a new user fail. */
async function failMail(fault: typeof smtp.fault, responseCode: number, isLastTry = false): Promise<Person> {
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  Object.assign(smtp, { fault, responseCode });
  await assert.rejects(run(isLastTry));
  assert.deepEqual(await mailsTo(ana), []);
  return ana;
}

/** Stores users of a company who are away and have an unread notification, and returns their addresses. */
async function insertAway(company: string, count: number): Promise<string[]> {
  const users = await Promise.all(Array.from({ length: count }, () => createPerson(platform, company, 'OPERATOR')));
  const ids = users.map(({ _id }) => _id);
  await database.sql(
    `insert into notifications (company_id, _id, user_id, kind, created_at)
      select $1, new_id(), each, 'MENTIONED', now() - interval '20 minutes' from unnest($2::text[]) each`,
    [company, ids],
  );
  await database.sql(
    `insert into user_activity (company_id, user_id, active_at) select $1, each, now() - interval '20 minutes' from unnest($2::text[]) each
      on conflict (company_id, user_id) do update set active_at = excluded.active_at`,
    [company, ids],
  );
  return users.map(({ email }) => email);
}

test('companies are mailed in turn, and mailboxes of one company that do not answer do not hold up those of another', async () => {
  const { _id: company } = await platform.createCompany();
  for (const address of await insertAway(company, 12)) hung.mailboxes.add(address);
  const patience = { away: 15, between: 60, oldest: 60 };
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  const next = await listAway(kit.database.system('upkeep'), patience, 2);
  assert.deepEqual(new Set(next.map((each) => each.company)), new Set([company, demo._id]));
  await beActive(ana);
  const queue = (): Promise<void> => mailAwayJob(kit).handle({}, 0);
  await queue();
  await waitUntil('the mails to hang', () => hung.begun >= 2);
  await pass(ana, 16);
  await queue();
  await waitUntil('the mail', async () => (await mailsTo(ana)).length === 1);
  assert.equal(hung.ended, 0);
  hung.mailboxes.clear();
  for (const answer of hung.answers) answer();
  await waitUntil('the others to be mailed', async () => {
    const rows = await database.sql('select from user_activity where company_id = $1 and mailed_at is null', [company]);
    return rows.length === 0;
  });
});

test('a notification that is raised again after it was mailed is mailed again', async () => {
  const ana = await createAway();
  const conversation = await mention(ana, 'Maria');
  await pass(ana, 16);
  await run();
  await pass(ana, 61);
  await run();
  assert.equal((await mailsTo(ana)).length, 1);
  await note(conversation, ana);
  await pass(ana, 16);
  await run();
  const [, again] = await mailsTo(ana);
  assert.match(again?.text ?? '', /Maria/);
});

test('without a mail server nothing is mailed, and what is unread is mailed when there is one', async () => {
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  const without = { ...kit, config: { ...kit.config, SMTP_URL: null } };
  await mailAway(without, () => assert.fail('a mail'));
  await sendAwayMail(without, { company: demo._id, user: ana._id }, false);
  assert.deepEqual(await mailsTo(ana), []);
  await run();
  assert.equal((await mailsTo(ana)).length, 1);
});

test('a mail that is refused for now is given up after the fifth retry', async () => {
  const { job, handle } = sendAwayMailJob(kit);
  const ana = await createAway();
  await mention(ana, 'Maria');
  await pass(ana, 16);
  for (let retry = 0; retry <= job.retries; retry += 1) {
    Object.assign(smtp, { fault: 'refused', responseCode: 451 });
    await assert.rejects(handle({ company: demo._id, user: ana._id }, retry));
  }
  assert.equal(job.retries, 5);
  await run();
  assert.deepEqual(await mailsTo(ana), []);
});

test('a mail is sent later when the mail server has refused the log-in of the platform, also in the last retry', async () => {
  const ana = await failMail('refused', 535, true);
  await run();
  assert.equal((await mailsTo(ana)).length, 1);
});

test('a mail that the mail server refuses for now is retried, and two workers send it once', async () => {
  const ana = await failMail('refused', 451);
  await Promise.all([run(), run()]);
  assert.equal((await mailsTo(ana)).length, 1);
});

test('a mail that is refused for good or in the last retry, or whose outcome is unknown, is not sent again, and in the next hour there is no other', async () => {
  const people = [await failMail('refused', 550), await failMail('refused', 451, true), await failMail('cut', 0)];
  for (const ana of people) {
    await mention(ana, 'Greta');
    await pass(ana, 30);
    await run();
    assert.deepEqual(await mailsTo(ana), []);
    await pass(ana, 31);
    await run();
    const [mail, ...others] = await mailsTo(ana);
    assert.match(mail?.text ?? '', /Greta/);
    assert.doesNotMatch(mail?.text ?? '', /Maria/);
    assert.deepEqual(others, []);
  }
});

test('a user who has never been in the console, or lacks the second factor that the company requires, is mailed nothing', async () => {
  const never = await createPerson(platform, demo._id, 'OPERATOR');
  const ana = await createAway();
  await mention(never, 'Maria');
  await mention(ana, 'Maria');
  await pass(never, 16);
  await pass(ana, 16);
  const require = (isRequired: boolean) =>
    database.sql('update companies set second_factor_required = $2 where _id = $1', [demo._id, isRequired]);
  await require(true);
  await sendAwayMail(kit, { company: demo._id, user: ana._id }, false);
  await run();
  await require(false);
  assert.deepEqual(await mailsTo(ana), []);
  await run();
  assert.deepEqual([(await mailsTo(never)).length, (await mailsTo(ana)).length], [0, 1]);
});
