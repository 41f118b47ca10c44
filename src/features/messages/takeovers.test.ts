/** A message of ours whose id the network has told first with an echo. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  connectInstance,
  reportEvent,
  setGateway,
  silenceGateway,
  writeThrough,
} from '../../../test/support/gateway.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames, sendText } from '../../../test/support/traffic.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { applyStatuses } from './ingest.ts';
import type { Call } from './network-call.ts';
import { settleCall } from './settle-call.ts';

const platform = await startPlatform();
await silenceGateway(platform);
const instance = await connectInstance(platform);
const { call } = platform;
const read = async (id: string): Promise<Json> => (await call(200, 'GET', `/v1/messages/${id}`)).body;

test('an accepted message takes the place of the echo that has its id, with its statuses and what answers it', async () => {
  const from = '5511970000031';
  const { conversation } = await writeThrough(platform, instance, { from });
  await setGateway(platform, { faults: { sendText: [{ kind: 'reset' }] } });
  const ours = await sendText(platform, conversation, { content: 'Um texto' });
  const echo = await writeThrough(platform, instance, { from, from_me: true, text: 'Mudado' });
  const quote = await sendText(platform, conversation, { content: 'Resposta', replyTo: echo._id });
  const keyId = echo.external_id;
  await reportEvent(platform, instance, 'messages.update', { keyId, remoteJid: 'x', fromMe: true, status: 'READ' });
  const accepted = {
    company: instance.company,
    inbox: instance.inbox,
    external_id: keyId,
    message: ours._id,
    status: 'ACCEPTED' as const,
    at: new Date().toISOString(),
    errors: [],
    failure_reason: null,
    reportsFailures: true,
  };
  const accept = () => platform.running.kit.database.tenantTx(instance.company, (tx) => applyStatuses(tx, [accepted]));
  await accept();
  await accept();
  const taken = await read(ours._id);
  assert.deepEqual([taken.status, taken.external_id, taken.is_echo], ['READ', keyId, false]);
  assert.equal((await read(quote._id)).reply_to, ours._id);
  await call(404, 'GET', `/v1/messages/${echo._id}`);
  assert.deepEqual(await listEventNames(platform, ours._id), ['MESSAGE_SENT', 'MESSAGE_READ']);
});

test('an answer that is stored at the same moment as an echo with its id makes one message of both', async () => {
  const from = '5511970000032';
  const { conversation } = await writeThrough(platform, instance, { from });
  await setGateway(platform, { faults: { sendText: [{ kind: 'reset' }] } });
  const ours = await sendText(platform, conversation, { content: 'Um texto' });
  const echo = await writeThrough(platform, instance, { from, from_me: true, text: 'Mudado' });
  const { kit } = platform.running;
  const other = new pg.Client({ connectionString: platform.database.ownerUrl });
  await other.connect();
  await other.query('begin');
  await other.query(`update messages set external_id = 'AT-ONCE' where _id = $1`, [echo._id]);
  const acting = actAs(kit.database, instance.company, { type: 'system', id: null, name: 'Test' });
  const channel = kit.channels.get('PARTNER_API');
  const given = { channel, stored: ours, credentials: null, place: null, company: instance.company } as unknown as Call;
  const settled = settleCall(kit, acting, given, {
    outcome: 'accepted',
    externalId: 'AT-ONCE',
    person: { names: [] },
  });
  await waitUntil('the answer to wait for the echo', async () => {
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await platform.database.sql(blocked)).length > 0;
  });
  await other.query('commit');
  await other.end();
  const { _id, status, external_id } = await settled;
  assert.deepEqual([_id, status, external_id], [ours._id, 'SENT', 'AT-ONCE']);
  await call(404, 'GET', `/v1/messages/${echo._id}`);
  assert.deepEqual(await listEventNames(platform, ours._id), ['MESSAGE_SENT']);
});
