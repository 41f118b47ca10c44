/** Every change of a message's status reaches its enrollment, without the trigger that processes of the earlier release need. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import pg from 'pg';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { reportStatuses, sendText, silenceNetwork, writeAsContact } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Statement } from '../../platform/store/db.ts';
import { giveUpUnknownOutcomes } from '../inbound/upkeep.ts';
import { applyStatuses } from '../messages/ingest.ts';
import { settle, type Answered } from '../messages/settle.ts';

const platform = await startPlatform({ isOwn: true });
await silenceNetwork(platform);
const { call, demo, database, running } = platform;
await waitUntil('the templates are copied', async () => {
  const { body } = await call(200, 'GET', `/v1/inboxes/${demo.inbox}/templates?name=hello_world`);
  return body.result.length > 0;
});

const HELLO = { template: { name: 'hello_world', language: 'pt_BR' } };
const NO_ANSWER = { kind: 'reset_after_accept' };

interface Started {
  campaign: string;
  enrollment: string;
  message: string;
  phone: string;
}

/** Starts a campaign of two steps for one contact. Its first message is stored, and the call for it has this fault. */
async function startFor(fault?: Json): Promise<Started> {
  const phone = makePhoneNumber();
  await platform.sandbox('PUT', '/sandbox/settings', {
    faults: { send: fault ? [{ ...fault, times: 1, to: phone }] : [] },
  });
  const body = { name: 'Spring', inbox: demo.inbox, steps: [HELLO, { ...HELLO, delay_minutes: 60 }] };
  const { _id: campaign } = (await call(201, 'POST', '/v1/campaigns', { body })).body;
  await call(201, 'POST', `/v1/campaigns/${campaign}/enrollments`, { body: { contacts: [{ phone }] } });
  await call(201, 'POST', `/v1/campaigns/${campaign}/start`);
  return waitUntil('the message to be stored', async () => {
    const [row] = (await call(200, 'GET', `/v1/campaign-enrollments?campaign=${campaign}`)).body.result;
    return row?.message && { campaign, enrollment: row._id, message: row.message, phone };
  });
}
const read = async ({ enrollment }: Started): Promise<Json> =>
  (await call(200, 'GET', `/v1/campaign-enrollments/${enrollment}`)).body;
/** Returns the enrollment once its message has got a status. */
const awaitMove = async (started: Started): Promise<Json> => {
  await waitUntil('the message to change', async () => {
    const { status } = (await call(200, 'GET', `/v1/messages/${started.message}`)).body;
    return status !== 'QUEUED';
  });
  return read(started);
};
/** Returns the network's id of a message whose call got no answer. */
const findAtNetwork = ({ phone }: Started): Promise<string> =>
  waitUntil('the network to have the message', async () => {
    const { messages } = await platform.sandbox('GET', '/sandbox/messages?limit=1000');
    return messages.find(({ to }: Json) => to === phone)?.id;
  });

test('during an upgrade, a status that a process of the earlier release stores still moves the enrollment', async () => {
  const started = await startFor(NO_ANSWER);
  // Only sessions of this release say that they move enrollments themselves.
  await database.sql(`update messages set status = 'SENT', sent_at = now() where _id = $1`, [started.message]);
  const { status, current_step, next_run_at } = await read(started);
  assert.deepEqual([status, current_step, next_run_at !== null], ['SENT', 1, true]);
  await database.sql('drop trigger enrollments_advanced on messages');
});

/** Lets each statement that changes the status of messages change one of a campaign. */
const WAYS: Record<string, () => Promise<{ started: Started; status: string }>> = {
  'messages.writeLives': async () => ({ started: await startFor(), status: 'SENT' }),
  // It leaves a message of a campaign to the statements that follow it.
  'messages.acceptQueued': async () => {
    const started = await startFor(NO_ANSWER);
    const { kit } = running;
    const line = { channel: kit.channels.get('WAP_AUTO_CLOSER'), inbox: demo.inbox, credentials: null };
    const externalId = await findAtNetwork(started);
    const { body: stored } = await call(200, 'GET', `/v1/messages/${started.message}`);
    const answer: Answered = {
      message: started.message,
      stored: { ...stored, enrollment: null },
      result: { outcome: 'accepted', externalId, person: { names: [] } },
      place: null,
    };
    await kit.database.tenantTx(demo._id, (tx) => settle(kit, tx, line, [answer]));
    return { started, status: 'SENT' };
  },
  'messages.failAllQueued': async () => ({ started: await startFor({ code: 131_009 }), status: 'FAILED' }),
  'messages.failUnknown': async () => {
    const started = await startFor(NO_ANSWER);
    for (const [table, column, id] of [
      ['messages', 'created_at', '_id'],
      ['campaign_enrollments', 'called_at', 'message_id'],
    ])
      await database.sql(`update ${table} set ${column} = now() - interval '25 hours' where ${id} = $1`, [
        started.message,
      ]);
    await giveUpUnknownOutcomes(running.kit);
    return { started, status: 'FAILED' };
  },
};

/** Returns the names of the statements in the sources that set the status or the sent_at of messages. */
function findStatusChanges(): string[] {
  const files = globSync('src/**/{queries,*-queries,*-sql}.ts').map((path) => readFileSync(path, 'utf8'));
  const statements = files.flatMap((text) => text.split(/(?=\bname: ')/));
  const changing = statements.filter((statement) =>
    [...statement.matchAll(/\bupdate (?:only )?messages\b(?:(?! where ).)*? set (.*?)\b(?:where|returning)\b/gs)].some(
      ([, changes = '']) => /\b(?:status|sent_at) = /.test(changes),
    ),
  );
  return changing.map((statement) => /^name: '([^']+)'/.exec(statement)?.[1] ?? statement);
}

test('every statement that changes the status of messages moves their enrollments, and the counters stay exact', async () => {
  assert.deepEqual(findStatusChanges().toSorted(), Object.keys(WAYS).toSorted());
  for (const [name, change] of Object.entries(WAYS)) {
    const { started, status } = await change();
    assert.equal((await awaitMove(started)).status, status, name);
    const wrong = await database.sql('select * from campaign_differences($1, $2)', [demo._id, started.campaign]);
    assert.deepEqual(wrong, [], name);
  }
});

test('a message that is accepted while its campaign is being cancelled plans no further step', async () => {
  const started = await startFor(NO_ANSWER);
  const id = await findAtNetwork(started);
  const user = new pg.Client({ connectionString: database.ownerUrl });
  await user.connect();
  await user.query('begin');
  await user.query('select from campaigns where _id = $1 for update', [started.campaign]);
  const reported = reportStatuses(platform, { id, status: 'sent', biz_opaque_callback_data: started.message });
  await waitUntil('the status to wait', async () => {
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await database.sql(blocked)).length > 0;
  });
  await user.query(`update campaigns set status = 'CANCELLED' where _id = $1`, [started.campaign]);
  await user.query('commit');
  await user.end();
  await reported;
  const { status, current_step, completed_at } = await read(started);
  assert.deepEqual([status, current_step, completed_at !== null], ['SENT', 0, true]);
});

test('a status costs two more statements if its message belongs to a campaign and advances, and none otherwise', async () => {
  const listStatements = async (message: string, external_id: string, status: 'SENT' | 'READ'): Promise<string[]> => {
    const names: string[] = [];
    await running.kit.database.systemTx('upkeep', (tx) => {
      const note = (statement: Statement): Statement => {
        names.push(statement.name);
        return statement;
      };
      const noting: typeof tx = {
        ...tx,
        query: (statement) => tx.query(note(statement)),
        execute: (statement) => tx.execute(note(statement)),
      };
      const key = { company: demo._id, inbox: demo.inbox, external_id, message };
      const at = new Date(Date.now() - 10_000).toISOString();
      const report = { status, at, errors: [], failure_reason: null, reportsFailures: true };
      return applyStatuses(noting, [{ ...key, ...report }]);
    });
    return names.filter((name) => /send|move|enroll|campaign/i.test(name));
  };
  const started = await startFor();
  await awaitMove(started);
  const { external_id } = (await call(200, 'GET', `/v1/messages/${started.message}`)).body;
  assert.deepEqual(await listStatements(started.message, external_id, 'SENT'), []);
  assert.deepEqual(await listStatements(started.message, external_id, 'READ'), [
    'messages.lockSends',
    'messages.writeMoves',
  ]);
  const { conversation } = await writeAsContact(platform);
  const single = await sendText(platform, conversation._id);
  assert.deepEqual(await listStatements(single._id, single.external_id, 'READ'), []);
});
