/** A message of ours whose id the network has told first with an echo. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectInstance,
  reportEvent,
  setGateway,
  silenceGateway,
  writeThrough,
} from '../../../test/support/gateway.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { listEventNames, sendText } from '../../../test/support/traffic.ts';
import { applyStatuses } from './ingest.ts';

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
