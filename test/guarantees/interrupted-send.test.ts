/**
 * Processes that are killed while a message is sent: when the network has taken it, and while its picture is converted. Each test has a company and a phone of its own; the worker of the first one goes on.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildNotification, buildStatusElement, buildTextElement, createNetwork } from '../full/harness/network.ts';
import { call, createInbox, openStage } from '../full/harness/stage.ts';
import { makePicture } from '../support/media-samples.ts';
import { listDescendants } from '../support/process.ts';
import { buildForm } from '../support/sheets.ts';
import { skipWithoutProc } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';

const folder = await mkdtemp(join(tmpdir(), 'parley-interrupted-'));
after(() => rm(folder, { recursive: true, force: true }));
const { stage, close } = await openStage({});
after(close);
const api = await stage.start('api', { DATA_DIR: join(folder, 'data'), TMPDIR: folder, READER_NICE: '0' });
const worker = await stage.start('worker');
const network = createNetwork(stage.appSecret);
after(network.close);

const callSandbox = (method: string, path: string, body?: object) =>
  call(200, method, `${stage.sandboxUrl}/sandbox/${path}`, body ? { body } : {});

/** Creates a company with a conversation at this phone. */
async function createSender(phone: string) {
  const tenant = await stage.createTenant('Sender');
  await createInbox(api, tenant, phone);
  const post = async (element: Parameters<typeof buildNotification>[0][number]): Promise<void> =>
    await network.postUntilHeard(api.url, buildNotification([element]));
  await post(buildTextElement(phone, '5511981000001', `wamid.${phone}`, 'Hello'));
  const [{ _id: conversationId } = { _id: '' }] = await stage.store.sql<{ _id: string }>(
    'select _id from conversations where company_id = $1',
    [tenant._id],
  );
  return {
    ...tenant,
    post,
    send: (type: string, message: object) =>
      call(201, 'POST', `${api.url}/v1/messages/send-${type}`, { key: tenant.key, body: { conversationId, message } }),
    /** The messages that the network has got from this phone. */
    listSent: async () => (await callSandbox('GET', `messages?phone=${phone}`)).messages,
    upload: async (data: Buffer): Promise<string> => {
      const response = await fetch(`${api.url}/v1/resource/upload-attachment`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}` },
        body: buildForm({ file: { name: 'a.png', data } }),
      });
      return ((await response.json()) as { _id: string })._id;
    },
    listStatuses: async () => {
      const rows = await stage.store.sql<{ status: string }>(
        `select status from messages where company_id = $1 and message_type = 'OUTGOING' order by created_at`,
        [tenant._id],
      );
      return rows.map(({ status }) => status);
    },
  };
}

/** The CPU time of each of these processes, in units of 10 ms. */
async function readCpu(pids: number[]): Promise<Map<number, number>> {
  const read = async (pid: number): Promise<[number, number]> => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [pid, Number(fields[11] ?? 0) + Number(fields[12] ?? 0)];
  };
  return new Map(await Promise.all(pids.map(read)));
}

/** The files that are stored. Unfinished ones are removed after a while (files.test.ts). */
async function listStored(): Promise<string[]> {
  const entries = await readdir(join(folder, 'data/files'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.unfinished')).map(({ name }) => name);
}

test('a message whose process dies before the network answers is not sent again, and stays QUEUED until a status arrives', async () => {
  const phone = '100000000000300';
  const { post, send, listSent, listStatuses, key, _id: company } = await createSender(phone);
  await callSandbox('PUT', 'settings', {
    faults: { send: [{ kind: 'hang_after_accept', ms: 60_000 }] },
    status_delays_ms: { sent: null, delivered: null, read: null },
  });
  const cut = assert.rejects(send('text', { content: 'Interrupted' }));
  await waitUntil('the network to take the message', async () => (await listSent()).length === 1);
  await api.kill();
  await cut;

  assert.deepEqual(await listStatuses(), ['QUEUED']);
  // Every process that could send the message again is started and does other work meanwhile.
  await worker.kill();
  await Promise.all([api.restart(), worker.restart()]);
  assert.equal((await send('text', { content: 'Another' })).status, 'SENT');
  assert.deepEqual(await listStatuses(), ['QUEUED', 'SENT']);
  assert.equal((await listSent()).length, 2, 'the interrupted message and the other one');

  const [message] = await stage.store.sql<{ _id: string }>(
    `select _id from messages where company_id = $1 and status = 'QUEUED'`,
    [company],
  );
  const [{ id }] = await listSent();
  const status = buildStatusElement(phone, id, 'delivered');
  await post({ ...status, item: { ...status.item, biz_opaque_callback_data: message?._id } });
  const read = await call(200, 'GET', `${api.url}/v1/messages/${message?._id}`, { key });
  assert.equal(read.status, 'DELIVERED');
  assert.equal((await listSent()).length, 2, 'nothing was sent again');
});

test('a scheduled message is given to the network once, although several processes look for it and all of them are killed while they send it', async () => {
  const { send, listSent, listStatuses, key, _id: company } = await createSender('100000000000322');
  const second = await stage.start('worker');
  await callSandbox('PUT', 'settings', { faults: { send: [{ kind: 'hang_after_accept', ms: 60_000 }] } });
  const [{ _id: conversation } = { _id: '' }] = await stage.store.sql<{ _id: string }>(
    'select _id from conversations where company_id = $1',
    [company],
  );
  const body = { conversation, message: { content: 'Later' }, hold_seconds: 1 };
  const { _id } = await call(201, 'POST', `${api.url}/v1/scheduled-messages`, { key, body });
  await waitUntil('the network to take the message', async () => (await listSent()).length === 1);
  await Promise.all([worker.kill(), second.kill()]);
  // What a dead process has left is settled later; the test makes that due.
  await stage.store.sql('update scheduled_messages set settle_until = now() where _id = $1', [_id]);
  await Promise.all([worker.restart(), second.restart()]);
  const ended = await waitUntil('the scheduled message to end', async () => {
    const found = await call(200, 'GET', `${api.url}/v1/scheduled-messages/${_id}`, { key });
    return found.status !== 'SCHEDULED' && found;
  });
  assert.equal(ended.status, 'SENT');
  assert.equal((await send('text', { content: 'Another' })).status, 'SENT');
  assert.deepEqual(await listStatuses(), ['QUEUED', 'SENT']);
  assert.equal((await listSent()).length, 2, 'the scheduled message and the other one');
  await second.kill();
});

test(
  'a message whose process is killed while its picture is converted is sent to nobody, leaves no file behind, and the next send converts the picture',
  { skip: skipWithoutProc },
  async () => {
    const { send, upload, listSent } = await createSender('100000000000311');
    // A picture that takes seconds to convert, with so few colours that it is a small file.
    const attachment = await upload(await makePicture('png', { width: 5_000, height: 4_900, colours: 'rgb16' }));
    // The picture and its thumbnail.
    const uploaded = await listStored();
    const before = await readCpu(listDescendants(api.pid));
    const cut = assert.rejects(send('image', { attachment }));
    const converter = await waitUntil('the conversion', async () => {
      const now = await readCpu(listDescendants(api.pid));
      return [...now.keys()].find((pid) => now.get(pid)! > (before.get(pid) ?? 0) + 10);
    });
    // It may not end before the process that waits for it is killed.
    process.kill(converter, 'SIGSTOP');
    await api.kill();
    process.kill(converter, 'SIGCONT');
    await cut;
    assert.deepEqual(await listSent(), []);
    assert.deepEqual(await listStored(), uploaded);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name !== 'data'),
      [],
    );

    await api.restart();
    assert.equal((await send('image', { attachment })).status, 'SENT');
    assert.equal((await listSent()).length, 1);
    assert.equal((await listStored()).length, uploaded.length + 1);
  },
);
