/** Downloads of several companies and numbers at once: no one waits for another one, and a failing number is left alone for an hour. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePng } from '../../../../test/support/media-samples.ts';
import {
  connectPhone,
  makePhoneNumber,
  buildMessageNotification,
  openNetwork,
  type Phone,
} from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const platform = await startPlatform();
const { database } = platform;
const network = await openNetwork(platform);
const setFaults = (download: Json[]): Promise<Json> =>
  platform.sandbox('PUT', '/sandbox/settings', { faults: { download } });

/** Gives the network a picture and returns its id; any number may then send it any number of times. */
async function putPicture({ id }: Phone): Promise<string> {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new Blob([new Uint8Array(makePng())], { type: 'image/png' }), 'picture.png');
  const headers = { authorization: `Bearer token-${id}` };
  const answer = await fetch(`${platform.sandboxUrl}/${id}/media`, { method: 'POST', headers, body: form });
  return ((await answer.json()) as { id: string }).id;
}

/** Makes contacts send so many pictures to a number. */
async function sendPictures(phone: Phone, count: number): Promise<void> {
  const image = { id: await putPicture(phone), mime_type: 'image/png' };
  for (let sent = 0; sent < count; sent += 100) {
    const part = Array.from({ length: Math.min(100, count - sent) }, () => ({
      from: makePhoneNumber(),
      type: 'image',
      image,
    }));
    await network.post(200, buildMessageNotification(phone, ...part));
  }
}

/** How many files of a number are in each state. */
async function countStates({ inbox }: Phone): Promise<Record<string, number>> {
  const rows = await database.sql<{ state: string; count: number }>(
    `select coalesce(d.state, a.state) as state, count(*)::int as count
      from messages m join attachments a on a._id = m.attachment_id left join media_downloads d on d.attachment_id = a._id
      where m.inbox_id = $1 group by 1`,
    [inbox],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

test('the file of one company does not wait for a thousand slow files of another company', async () => {
  const busy = await connectPhone(platform, { company: await platform.createCompany('Busy') });
  const small = await connectPhone(platform, { company: await platform.createCompany('Small') });
  await setFaults([{ kind: 'slow', ms: 2_000, times: null }]);
  await sendPictures(busy, 1_000);
  await waitUntil('the busy company to have its slots', async () => ((await countStates(busy))['RUNNING'] ?? 0) >= 2);
  await sendPictures(small, 1);
  await waitUntil('the one file', async () => (await countStates(small))['READY'] === 1);
  assert.ok((await countStates(busy))['WAITING']! > 900);
  await database.sql('delete from media_downloads');
});

test('after ten failed downloads within an hour a phone number downloads nothing for the rest of the hour, and other numbers continue', async () => {
  const broken = await connectPhone(platform);
  const healthy = await connectPhone(platform);
  await setFaults([{ kind: 'http_500', times: null }]);
  await sendPictures(broken, 30);
  const states = await waitUntil('the number to be left alone', async () => {
    const found = await countStates(broken);
    return found['RESTING'] === 30 && found;
  });
  assert.deepEqual(states, { RESTING: 30 });
  const [counted] = await database.sql<{ failures: number; soonest: number }>(
    `select sum(failures)::int as failures, extract(epoch from min(due_at) filter (where failures = 0) - now())::float as soonest
      from media_downloads where inbox_id = $1`,
    [broken.inbox],
  );
  const { failures, soonest } = counted!;
  // After nine stored failures the four slots of the company may fail as well, far below the 20 for which the network is said to block a number.
  assert.ok(failures >= 10 && failures <= 13, `${failures} downloads failed`);
  assert.ok(soonest > 3_500, `the others go on after ${soonest} s`);
  await setFaults([]);
  // Whatever wakes the files of the number, none of them is requested.
  await database.sql(`update media_downloads set state = 'WAITING' where inbox_id = $1`, [broken.inbox]);
  await sendPictures(healthy, 3);
  await waitUntil('the files of the healthy number', async () => (await countStates(healthy))['READY'] === 3);
  await waitUntil('the files to rest again', async () => (await countStates(broken))['RESTING'] === 30);
  await database.sql(
    `update media_failures set failed_at = array(select t - interval '1 hour' from unnest(failed_at) as t)`,
  );
  await database.sql('update media_downloads set due_at = now()');
  await waitUntil('the files of the number after the hour', async () => (await countStates(broken))['READY'] === 30);
});
