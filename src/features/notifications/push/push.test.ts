/** Notifications that are pushed to browsers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { receiveFromOtherRecipient } from '../../../../test/support/mails.ts';
import {
  createPerson,
  forgetPassword,
  FROM_PAGE,
  logIn,
  PASSWORD,
  readMailToken,
  resetPassword,
  waitForMail,
} from '../../../../test/support/people.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { makeBrowser, readSender, startPushService } from '../../../../test/support/push.ts';
import { expectProblem } from '../../../../test/support/refusals.ts';
import { silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { purgeNotifications } from '../upkeep.ts';
import { openPushKeys } from './keys.ts';

const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;
const service = await startPushService();
const carla = await platform.createUser(demo._id, 'OPERATOR', 'Carla');

interface Registered {
  user: string;
  key: string;
  browser: ReturnType<typeof makeBrowser>;
  path: string;
  _id: string;
}

async function register(options: { user: string; key: string; cookie?: string }): Promise<Registered> {
  const browser = makeBrowser();
  const path = `/${crypto.randomUUID()}`;
  const { user, key, cookie } = options;
  const caller = cookie ? { key: null, headers: { ...FROM_PAGE, cookie } } : { key };
  const body = { endpoint: service.url + path, keys: browser.keys };
  const { body: stored } = await call(200, 'PUT', '/v1/push-subscriptions', { ...caller, body });
  return { user, key, browser, path, _id: stored._id };
}

const registerUser = async (): Promise<Registered> => {
  const { _id: user, token: key } = await platform.createUser(demo._id, 'OPERATOR');
  return register({ user, key });
};
const mention = (conversationId: string, user: string): Promise<unknown> =>
  call(201, 'POST', '/v1/messages/note', {
    key: carla.token,
    body: { conversationId, message: { content: 'Please look' }, mentions: [user] },
  });
const takenBy = ({ path }: Registered) => service.taken.filter((push) => push.path === path);
const list = async (key: string): Promise<Json[]> =>
  (await call(200, 'GET', '/v1/push-subscriptions', { key })).body.result;
/** Keeps new pushes in the queue until the returned function is called; those that were kept stay there. */
async function holdPushes(): Promise<() => Promise<unknown>> {
  await database.sql(`create function hold_push() returns trigger language plpgsql as
    $$ begin new.is_waiting = false; return new; end $$`);
  await database.sql('create trigger held before insert on pushes for each row execute function hold_push()');
  return () => database.sql('drop function hold_push cascade');
}
const queueIsEmpty = (): Promise<unknown> =>
  waitUntil('all pushes to be done', async () => (await database.sql('select from pushes')).length === 0);

test('a notification is pushed encrypted to the browsers of its user alone, signed with the key of the installation', async () => {
  const [ana, bia] = [await registerUser(), await registerUser()];
  const { conversation } = await writeAsContact(platform, { name: 'Maria' });
  await mention(conversation._id, ana.user);
  await waitUntil('the push', () => takenBy(ana).length === 1);
  const [push] = takenBy(ana);
  const [notification] = (await call(200, 'GET', '/v1/notifications', { key: ana.key })).body.result;
  assert.deepEqual(ana.browser.read(push?.body ?? Buffer.alloc(0)), {
    _id: notification._id,
    kind: 'MENTIONED',
    conversation: conversation._id,
    contact: 'Maria',
    actor: 'Carla',
    preview: 'Please look',
    count: 1,
    language: 'pt-BR',
  });
  const { body } = await call(200, 'GET', '/v1/push-subscriptions/key', { key: ana.key });
  const { aud } = readSender(String(push?.headers['authorization']), body.public_key);
  assert.equal(aud, service.url);
  await queueIsEmpty();
  assert.deepEqual(takenBy(bia), []);
  assert.notEqual((await list(ana.key))[0]?.['last_used_at'], null);
});

test('the push names the author of another recipient’s answer to a mail, not the contact', async () => {
  const ana = await registerUser();
  const conversation = await receiveFromOtherRecipient({ after }, platform, ana.user);
  const named = await waitUntil('the push of the answer', () =>
    takenBy(ana)
      .map(({ body }) => ana.browser.read(body))
      .find(({ kind }) => kind === 'REPLIED'),
  );
  assert.deepEqual([named['conversation'], named['contact']], [conversation, 'Max']);
});

test('nothing is pushed of a kind whose push is off, and a raised notification is pushed again', async () => {
  const ana = await registerUser();
  const [first, second] = [await writeAsContact(platform), await writeAsContact(platform)];
  const MENTIONED = { console: true, browser: true, push: false };
  await call(200, 'PUT', '/v1/notification-settings', { key: ana.key, body: { MENTIONED } });
  await mention(first.conversation._id, ana.user);
  await call(200, 'PUT', '/v1/notification-settings', {
    key: ana.key,
    body: { MENTIONED: { ...MENTIONED, push: true } },
  });
  await mention(second.conversation._id, ana.user);
  await waitUntil('the push', () => takenBy(ana).length === 1);
  await queueIsEmpty();
  await mention(second.conversation._id, ana.user);
  await waitUntil('the second push', () => takenBy(ana).length === 2);
  const pushed = takenBy(ana).map(({ body }) => ana.browser.read(body));
  assert.deepEqual(
    pushed.map(({ conversation, count }) => [conversation, count]),
    [1, 2].map((count) => [second.conversation._id, count]),
  );
});

test('a browser that its push service does not know any more is removed', async () => {
  const ana = await registerUser();
  const { conversation } = await writeAsContact(platform);
  service.answer(410);
  await mention(conversation._id, ana.user);
  await waitUntil('the browser to be removed', async () => (await list(ana.key)).length === 0);
  service.answer(201);
});

test('a push that fails is tried five times, after pauses that begin with half a minute and double', async () => {
  const ana = await registerUser();
  const { conversation } = await writeAsContact(platform);
  // Each pause is noted and is over at once. A claim also sets its end, but takes the row out of the queue.
  await database.sql(`create table pauses (attempts integer, seconds integer)`);
  await database.sql(`create function end_pause() returns trigger language plpgsql security definer as $$ begin
    insert into pauses values (new.attempts, round(extract(epoch from new.held_until - now())));
    new.held_until = now();
    return new;
  end $$`);
  await database.sql(`create trigger ends_pause before update of held_until on pushes for each row
    when (not old.is_waiting and not new.is_waiting) execute function end_pause()`);
  service.answer(503);
  await mention(conversation._id, ana.user);
  await waitUntil('the fifth try', () => takenBy(ana).length === 5);
  await queueIsEmpty();
  service.answer(201);
  const pauses = await database.sql<{ seconds: number }>('select seconds from pauses order by attempts');
  await database.sql('drop function end_pause cascade');
  assert.deepEqual(
    pauses.map(({ seconds }) => seconds),
    [30, 60, 120, 240],
  );
  assert.equal(takenBy(ana).length, 5);
});

test('a notification is not pushed if its user reads it before, or can no longer see the inbox by then', async () => {
  const setMembers = (members: Json) => call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { members } });
  for (const end of [
    (key: string) => call(200, 'POST', '/v1/notifications/read', { key, body: { until: new Date().toISOString() } }),
    () => setMembers({ users: [] }),
  ]) {
    const ana = await registerUser();
    const { conversation } = await writeAsContact(platform);
    const release = await holdPushes();
    await mention(conversation._id, ana.user);
    await release();
    assert.equal((await database.sql('select from pushes where not is_waiting')).length, 1);
    await end(ana.key);
    await database.sql('update pushes set is_waiting = true');
    await queueIsEmpty();
    assert.deepEqual(takenBy(ana), []);
  }
  await setMembers(null);
});

test('a browser is removed while notifications are queued for it, without a deadlock', async () => {
  const ana = await registerUser();
  const { conversation } = await writeAsContact(platform);
  const release = await holdPushes();
  await mention(conversation._id, ana.user);
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query('update notifications set created_at = clock_timestamp() where user_id = $1', [ana.user]);
  const removed = call(200, 'DELETE', `/v1/push-subscriptions/${ana._id}`, { key: ana.key });
  await waitUntil('the removal to wait', async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from push_subscriptions%'`;
    return (await database.sql(waiting)).length > 0;
  });
  await client.query(
    `insert into notifications (company_id, _id, user_id, kind) values ($1, new_id(), $2, 'NOT_SENT')`,
    [demo._id, ana.user],
  );
  await client.query('commit');
  await client.end();
  await removed;
  await release();
  await queueIsEmpty();
});

test('a browser in which the console was not opened for 30 days is removed', async () => {
  const ana = await registerUser();
  const { _id: old } = await register(ana);
  const age = (id: string, days: number): Promise<unknown> =>
    database.sql('update push_subscriptions set updated_at = now() - make_interval(days => $2) where _id = $1', [
      id,
      days,
    ]);
  await age(old, 31);
  await age(ana._id, 29);
  await purgeNotifications(platform.running.kit);
  assert.deepEqual(
    (await list(ana.key)).map(({ _id }) => _id),
    [ana._id],
  );
});

test('the push to a browser ends when its user logs out there, sets a new password or is deactivated', async () => {
  const ana = await createPerson(platform, demo._id, 'OPERATOR');
  const open = async (): Promise<string> => {
    const body = { email: ana.email, password: PASSWORD };
    const { headers } = await call(200, 'POST', '/v1/auth/session', { key: null, headers: FROM_PAGE, body });
    return String(headers.get('set-cookie')).split(';', 1)[0] ?? '';
  };
  const [first, second] = [await open(), await open()];
  const [phone, desk] = [
    await register({ user: ana._id, key: ana.token, cookie: first }),
    await register({ user: ana._id, key: ana.token, cookie: second }),
  ];
  await call(200, 'DELETE', '/v1/auth/session', { key: null, headers: { ...FROM_PAGE, cookie: first } });
  assert.deepEqual(
    (await list(ana.token)).map(({ _id }) => _id),
    [desk._id],
  );
  const { conversation } = await writeAsContact(platform);
  await mention(conversation._id, ana._id);
  await waitUntil('the push', () => takenBy(desk).length === 1);
  const password = `new ${PASSWORD}`;
  await forgetPassword(platform, ana.email);
  await resetPassword(platform, 200, readMailToken(await waitForMail(platform, ana.email)), password);
  const { body } = await logIn(platform, 200, ana.email, password);
  const tablet = await register({ user: ana._id, key: body.access_token });
  const next = await writeAsContact(platform);
  await mention(next.conversation._id, ana._id);
  await waitUntil('the push', () => takenBy(tablet).length === 1);
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { status: 'INACTIVE' } });
  const other = await writeAsContact(platform);
  await call(200, 'PATCH', `/v1/users/${ana._id}`, { body: { status: 'ACTIVE' } });
  await mention(other.conversation._id, ana._id);
  await queueIsEmpty();
  assert.deepEqual(
    [phone, desk, tablet].map((browser) => takenBy(browser).length),
    [0, 1, 1],
  );
});

test('nothing is pushed to a user who lacks the second factor that the company requires', async () => {
  const ana = await registerUser();
  const require = (isRequired: boolean) =>
    database.sql('update companies set second_factor_required = $2 where _id = $1', [demo._id, isRequired]);
  const mentionAna = async (): Promise<void> => {
    const { conversation } = await writeAsContact(platform);
    const body = { conversationId: conversation._id, message: { content: 'Please look' }, mentions: [ana.user] };
    await call(201, 'POST', '/v1/messages/note', { body });
    await queueIsEmpty();
  };
  await require(true);
  await mentionAna();
  assert.equal(takenBy(ana).length, 0);
  await require(false);
  await mentionAna();
  assert.equal(takenBy(ana).length, 1);
});

test('the installation has one key pair for all processes, and its database contains it only encrypted', async () => {
  const { _id: company } = await platform.createCompany();
  const { token: key } = await platform.createUser(company, 'OWNER');
  const { body } = await call(200, 'GET', '/v1/push-subscriptions/key', { key });
  const { publicKey, privateKey } = await openPushKeys(platform.running.kit)();
  assert.equal(publicKey, body.public_key);
  const [stored] = await database.sql<{ value: string }>(`select value from platform_state where key = 'push.keys'`);
  assert.match(stored?.value ?? '', /^v1:/);
  assert.ok(!stored?.value.includes(privateKey));
});

test('users list and remove only their own browsers, of which the ten newest are kept', async () => {
  const [ana, bia] = [await registerUser(), await registerUser()];
  expectProblem(await call(404, 'DELETE', `/v1/push-subscriptions/${ana._id}`, { key: bia.key }), 'NOT_FOUND');
  for (let count = 0; count < 10; count += 1) await register(ana);
  const kept = await list(ana.key);
  assert.deepEqual([kept.length, kept.some(({ _id }) => _id === ana._id)], [10, false]);
  await call(200, 'DELETE', `/v1/push-subscriptions/${String(kept[0]?.['_id'])}`, { key: ana.key });
  assert.equal((await list(ana.key)).length, 9);
});

test('a browser with an address of this network or a key that is none is refused, and the problem names the field', async () => {
  const { key } = await registerUser();
  const { keys } = makeBrowser();
  const put = (body: Json) => call(400, 'PUT', '/v1/push-subscriptions', { key, body });
  expectProblem(await put({ endpoint: 'http://10.0.0.1/push', keys }), 'VALIDATION_FAILED', 'endpoint');
  const p256dh = Buffer.alloc(65, 4).toString('base64url');
  const endpoint = `${service.url}/x`;
  expectProblem(await put({ endpoint, keys: { ...keys, p256dh } }), 'VALIDATION_FAILED', 'keys.p256dh');
  expectProblem(await put({ endpoint, keys: { ...keys, auth: 'short' } }), 'VALIDATION_FAILED', 'keys.auth');
});
