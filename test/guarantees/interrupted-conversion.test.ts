import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildNotification, buildTextElement, createNetwork } from '../full/harness/network.ts';
import { call, createInbox, withStage } from '../full/harness/stage.ts';
import { makePicture } from '../support/media-samples.ts';
import { listDescendants } from '../support/process.ts';
import { buildForm } from '../support/sheets.ts';
import { skipWithoutProc } from '../support/uploads.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000311';

/** The CPU time of these processes, in units of 10 ms. */
async function readCpu(pids: number[]): Promise<number> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const used = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '));
  return used.reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0);
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test(
  'a message whose process is killed while its picture is converted is sent to nobody, leaves no file behind, and the next send converts the picture',
  { skip: skipWithoutProc },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-conversion-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await withStage({}, async (stage) => {
      const api = await stage.start('api', { DATA_DIR: join(folder, 'data'), TMPDIR: folder, READER_NICE: '0' });
      const tenant = await stage.createTenant('Sender');
      await createInbox(api, tenant, PHONE);
      const network = createNetwork(stage.appSecret);
      const greeting = buildTextElement(PHONE, '5511981000001', 'wamid.in', 'Hello');
      await network.postUntilHeard(api.url, buildNotification([greeting]));
      const [{ _id: conversationId } = { _id: '' }] = await stage.store.sql<{ _id: string }>(
        'select _id from conversations',
      );
      // A picture that takes seconds to convert, with so few colours that it is a small file.
      const data = await makePicture('png', { width: 5_000, height: 4_900, colours: 'rgb16' });
      const response = await fetch(`${api.url}/v1/resource/upload-attachment`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}` },
        body: buildForm({ file: { name: 'a.png', data } }),
      });
      const { _id: attachment } = (await response.json()) as { _id: string };
      // The picture and its thumbnail.
      const uploaded = await listFiles(join(folder, 'data/files'));
      const send = () =>
        call(201, 'POST', `${api.url}/v1/messages/send-image`, {
          key: tenant.key,
          body: { conversationId, message: { attachment } },
        });
      const listSent = async () => (await call(200, 'GET', `${stage.sandboxUrl}/sandbox/messages`)).messages;
      const before = await readCpu(listDescendants(api.pid));
      const cut = assert.rejects(send());
      await waitUntil('the conversion', async () => (await readCpu(listDescendants(api.pid))) > before + 10);
      await api.kill();
      await cut;
      assert.deepEqual(await listSent(), []);
      assert.deepEqual(await listFiles(join(folder, 'data/files')), uploaded);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name !== 'data'),
        [],
      );

      await Promise.all([api.restart(), stage.start('worker')]);
      assert.equal((await send()).status, 'SENT');
      assert.equal((await listSent()).length, 1);
      assert.equal((await listFiles(join(folder, 'data/files'))).length, uploaded.length + 1);
      await network.close();
    });
  },
);
