/**
 * Benchmark (pictures): how much slower callbacks are stored when 1,000 of them bring pictures, which the same process downloads meanwhile from
 * the sandbox, stores, and makes thumbnails of. Short rounds with and without pictures follow each other, and each is compared with the one
 * beside it, so that other programs on the machine disturb both alike. A round with pictures begins while pictures of the one before it still
 * wait, so that some are downloaded all the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { reportProgress } from '../test/support/progress.ts';
import { openCallbackCaller, postOncePerPerson, type CallbackCaller } from './callbacks.ts';
import { median, type Figure } from './measure.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const WIDTH = 64;
const PEOPLE = 2_000;
const CALLBACKS = 1_000;
const PICTURES = 100;
const ROUNDS = 6;
const GOAL = 0.95;
// What a phone sends.
const SIZE = { width: 1_600, height: 1_200 };
const LOOK_MS = 20;

export async function benchPictures(stage: BenchStage): Promise<Figure[]> {
  const sandbox = await spawnProgram('sandbox/main.ts', [], { SANDBOX_OPEN: '1', SANDBOX_APP_SECRET: stage.appSecret });
  await stage.database.sql('delete from event_listeners');
  const env = { ...stage.env, WAP_GRAPH_URL: sandbox.url, OUTBOUND_ALLOW: '127.0.0.0/8' };
  const platform = await spawnProgram('src/main.ts', ['all'], env);
  const caller = openCallbackCaller(platform.url, stage, { connections: WIDTH, people: PEOPLE });
  try {
    const picture = await putPicture(sandbox.url);
    await postOncePerPerson(caller.call, WIDTH, PEOPLE);
    await postRound(caller, picture);
    await waitForPictures(stage);
    const pairs: { texts: number; pictures: number }[] = [];
    const lastAfter: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const texts = await postRound(caller, null);
      await postRound(caller, picture);
      pairs.push({ texts, pictures: await postRound(caller, picture) });
      lastAfter.push(await waitForPictures(stage));
    }
    return [
      makeFigure(pairs),
      {
        name: '(pictures) the last one is there, with its thumbnail',
        value: `${median(lastAfter).toFixed(1)} s after the last callback`,
        goal: 'reported',
        met: true,
      },
    ];
  } finally {
    await caller.close();
    await platform.stop();
    await sandbox.stop();
  }
}

function makeFigure(pairs: { texts: number; pictures: number }[]): Figure {
  const share = median(pairs.map(({ texts, pictures }) => pictures / texts));
  const [texts, pictures] = (['texts', 'pictures'] as const).map((kind) =>
    Math.round(median(pairs.map((pair) => pair[kind]))),
  );
  return {
    name: '(pictures) callbacks, 1 of 10 with a picture / texts',
    value: `${share.toFixed(2)} (${pictures}/s of ${texts}/s)`,
    goal: `>= ${GOAL}`,
    met: share >= GOAL,
  };
}

/** Posts all callbacks of a round, and returns how many were stored in a second. */
async function postRound(caller: CallbackCaller, picture: string | null): Promise<number> {
  const startedMs = performance.now();
  let posted = 0;
  const loop = async (): Promise<void> => {
    while (posted < CALLBACKS) {
      posted += 1;
      await (picture !== null && posted % (CALLBACKS / PICTURES) === 0
        ? caller.callWithPicture(picture)
        : caller.call());
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, loop));
  const rate = (CALLBACKS * 1000) / (performance.now() - startedMs);
  reportProgress(`${Math.round(rate)}/s ${picture === null ? 'texts' : 'with pictures'}`);
  return rate;
}

/** Waits until no picture is queued any more, and returns the seconds. */
async function waitForPictures({ database }: BenchStage): Promise<number> {
  const startedMs = performance.now();
  while ((await database.sql('select 1 from media_downloads limit 1')).length > 0) await sleep(LOOK_MS);
  const [missing] = await database.sql(`select 1 from attachments where state <> 'READY' limit 1`);
  if (missing) throw new Error('a picture was not downloaded');
  return (performance.now() - startedMs) / 1000;
}

/** Gives the network a picture, and returns its id; any number of messages may bring it. */
async function putPicture(networkUrl: string): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const data = await sharp({ create: { ...SIZE, channels: 3, background: 'grey', noise } })
    .blur(3)
    .jpeg()
    .toBuffer();
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new Blob([new Uint8Array(data)], { type: 'image/jpeg' }), 'picture.jpg');
  const headers = { authorization: 'Bearer sandbox-token' };
  const answer = await fetch(`${networkUrl}/100000000000001/media`, { method: 'POST', headers, body: form });
  const { id } = (await answer.json()) as { id?: string };
  if (id === undefined) throw new Error('the sandbox did not take the picture');
  reportProgress(`a picture of ${data.length} bytes`);
  return id;
}
