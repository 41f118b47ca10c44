import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNetwork, buildNotification, buildTextElement } from '../full/harness/network.ts';
import { call, withStage, createInbox } from '../full/harness/stage.ts';
import { HURRIED } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';

const PHONE = '100000000000301';

test('a worker that is killed during a download leaves no incomplete file, and another worker downloads the file once', () =>
  withStage({}, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-shared-'));
    const env = { DATA_DIR: folder, ...HURRIED };
    const api = await stage.start('api', env);
    const tenant = await stage.createTenant('Receiver');
    await createInbox(api, tenant, PHONE);
    const faults = { download: [{ kind: 'drip', ms: 1_000 }] };
    await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: { faults } });
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob(['x'.repeat(1_000_000)], { type: 'text/plain' }), 'long.txt');
    const headers = { authorization: 'Bearer any' };
    const upload = await fetch(`${stage.sandboxUrl}/${PHONE}/media`, { method: 'POST', headers, body: form });
    const { id } = (await upload.json()) as { id: string };

    const first = await stage.start('worker', env);
    const network = createNetwork(stage.appSecret);
    const element = buildTextElement(PHONE, '5511981000002', 'wamid.file', '');
    const document = { id, mime_type: 'text/plain', filename: 'long.txt' };
    const item = { ...element.item, type: 'document', text: undefined, document };
    await network.postUntilHeard(api.url, buildNotification([{ ...element, item }]));
    const running = async () =>
      (await stage.store.sql<{ turn: number }>(`select turn from media_downloads where state = 'RUNNING'`))[0];
    await waitUntil('the download to begin', running);
    await first.kill();
    assert.deepEqual(await listFiles(folder), []);
    assert.equal((await running())?.turn, 1);

    const second = await stage.start('worker', env);
    // The claim of the killed worker ends after half a minute.
    await stage.store.sql('update media_downloads set due_at = now()');
    const [{ url }] = await waitUntil('the file', async () => {
      const rows = await stage.store.sql<{ url: string }>(
        `select media->>'url' as url from messages where media->>'size' = '1000000'`,
      );
      return rows.length === 1 && (rows as [{ url: string }]);
    });
    const answer = await fetch(new URL(new URL(url).pathname, api.url));
    assert.equal(await answer.text(), 'x'.repeat(1_000_000));
    assert.equal((await listFiles(folder)).length, 1);
    await second.kill();
    await network.close();
    await rm(folder, { recursive: true, force: true });
  }));

/** All files of companies in the store, and what interrupted writes have left there. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
