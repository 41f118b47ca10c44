/**
 * Proves that callbacks are stored while the API is killed. Each message is posted one to five times, shuffled, in batches of up to 50, to
 * three processes; at seeded moments one of them is killed, or the database is stopped. The network repeats a post until it is answered
 * 200, except for the posts that it gives up. Afterwards the messages in the database are compared with those that were acknowledged.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance, type Chance } from '../harness/chance.ts';
import { createNetwork, runConcurrently, type SimulatedNetwork } from '../harness/network.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { createWebhook, withStage, type Stage, type Tenant } from '../harness/stage.ts';
import { WIRES, type Door, type TellingPost, type Wire, type WireName, type WrittenText } from '../harness/wires.ts';

export interface IngestionSize {
  /** The channel whose network posts; the Cloud API by default. */
  channel?: WireName;
  /** The number of processes of the platform. */
  processes: number;
  messages: number;
  kills: number;
  /** The number of immediate stops of the database. */
  restarts: number;
  seed: number;
}

export interface IngestionResult {
  messages: number;
  posts: number;
  repeatedPosts: number;
  acknowledged: number;
  stored: number;
  contacts: number;
  kills: number;
  restarts: number;
}

const COMPANIES = 2;
const MOST_COPIES = 5;
const BATCHES = [1, 1, 2, 3, 5, 10, 20, 50];
const MESSAGES_PER_PERSON = 8;
const LANES = 16;
// One in this many posts is sent only once, whatever its answer, because a real network gives up some time.
const GIVEN_UP_EVERY = 20;
const REPEAT_MS = 40;

interface PlannedPost extends TellingPost {
  once: boolean;
}

interface IngestionRun {
  stage: Stage;
  processes: PlatformProcess[];
  network: SimulatedNetwork;
  chance: Chance;
  acknowledged: Set<string>;
  posts: number;
  /** Resolves when the last failure is repaired; a lane waits for it before it causes the next failure. */
  mending: Promise<void>;
}

export async function proveIngestion(size: IngestionSize): Promise<IngestionResult> {
  return withStage({ killable: size.restarts > 0 }, async (stage) => {
    const chance = createChance(size.seed);
    const network = createNetwork(stage.appSecret);
    const wire = await WIRES[size.channel ?? 'WAP_AUTO_CLOSER'](stage);
    try {
      const processes = await Promise.all(Array.from({ length: size.processes }, () => stage.start('api', wire.env)));
      const doors = await openCompanies(stage, wire, processes[0] as PlatformProcess);
      const texts = writeMessages(size, doors, chance);
      const plan = planPosts(wire, texts, chance);
      const acknowledged = new Set<string>();
      const play: IngestionRun = {
        stage,
        processes,
        network,
        chance,
        acknowledged,
        posts: 0,
        mending: Promise.resolve(),
      };
      await postAll(play, plan, size);
      for (const process of processes) assert.ok(process.alive, `ended by itself: ${process.lines().join('\n')}`);
      return await compareWithAcknowledged(play, plan, { size, texts });
    } finally {
      await network.close();
      await wire.close();
    }
  });
}

async function openCompanies(stage: Stage, wire: Wire, api: PlatformProcess): Promise<Door[]> {
  const doors: Door[] = [];
  for (let number = 0; number < COMPANIES; number += 1) {
    const tenant: Tenant = await stage.createTenant(`Company ${number}`);
    doors.push(await wire.open(tenant, api));
    // No server listens at this address and no worker runs, because only the enqueued deliveries are counted.
    await createWebhook(api, tenant, 'http://127.0.0.1:9/', [
      'MESSAGE_RECEIVED',
      'CONTACT_CREATED',
      'CONVERSATION_CREATED',
    ]);
  }
  return doors;
}

/** Makes several messages of each person, who is named in one of two ways. */
function writeMessages({ messages, seed }: IngestionSize, doors: Door[], chance: Chance): WrittenText[] {
  return Array.from({ length: messages }, (_, number) => {
    const person = Math.floor(number / MESSAGES_PER_PERSON);
    const door = doors[person % doors.length] as Door;
    const id = `message.${seed}.${number}@network.example`;
    return { door, person, id, isOther: chance.int(2) === 0, text: `Message ${number}` };
  });
}

function planPosts(wire: Wire, texts: WrittenText[], chance: Chance): PlannedPost[] {
  const copies = texts.flatMap((text) => Array.from({ length: 1 + chance.int(MOST_COPIES) }, () => text));
  const shuffled = chance.shuffle(copies);
  const posts: PlannedPost[] = [];
  for (let at = 0; at < shuffled.length;) {
    const batch = shuffled.slice(at, at + chance.pick(BATCHES));
    at += batch.length;
    for (const post of wire.tellTexts(batch)) posts.push({ ...post, once: chance.int(GIVEN_UP_EVERY) === 0 });
  }
  return posts;
}

async function postAll(play: IngestionRun, plan: PlannedPost[], { kills, restarts }: IngestionSize): Promise<void> {
  const { chance } = play;
  const blows = chance.shuffle([
    ...Array.from({ length: kills }, () => 'kill' as const),
    ...Array.from({ length: restarts }, () => 'restart' as const),
  ]);
  // One failure happens in each part of the plan, at a seeded post.
  const slice = Math.floor(plan.length / Math.max(1, blows.length));
  const moments = new Map(blows.map((blow, index) => [index * slice + chance.int(Math.max(1, slice)), blow]));
  await runConcurrently(LANES, plan.entries(), async ([index, post]) => {
    const blow = moments.get(index);
    if (blow) {
      const before = play.mending;
      play.mending = before.then(() => (blow === 'kill' ? killAndRestartProcess(play) : crashAndRestartDatabase(play)));
      // A failure of the restart is reported where this promise is awaited.
      play.mending.catch(() => undefined);
      await before;
    }
    await postUntilHeard(play, post);
  });
  await play.mending;
}

async function killAndRestartProcess({ processes, chance }: IngestionRun): Promise<void> {
  const process = chance.pick(processes);
  await process.kill();
  await process.restart();
}

async function crashAndRestartDatabase({ stage }: IngestionRun): Promise<void> {
  await stage.store.crash();
  await stage.store.revive();
}

/** Posts to a random process, again until it answers 200, like the network. Any answer except 200, 503 and none is a defect. */
async function postUntilHeard(play: IngestionRun, post: PlannedPost): Promise<void> {
  for (;;) {
    play.posts += 1;
    const status = await play.network.send(play.chance.pick(play.processes).url, post);
    assert.ok(status === null || status === 200 || status === 503, `a callback was answered ${status}`);
    if (status === 200) return post.ids.forEach((id) => play.acknowledged.add(id));
    if (post.once) return;
    await sleep(REPEAT_MS);
  }
}

interface StoredFacts {
  messages: number;
  wrong_events: number;
  contacts: number;
  wrong_contacts: number;
  wrong_threads: number;
  threads: number;
  aside: number;
}

// Each figure whose name begins with wrong_ counts records that break the guarantee.
const FACTS = `
  with told as (select company_id, event, resource_id, count(*) as times from deliveries group by 1, 2, 3)
  select
    (select count(*) from messages)::int as messages,
    (select count(*) from messages m full join (select * from told where event = 'MESSAGE_RECEIVED') t
      on t.company_id = m.company_id and t.resource_id = m._id where t.times is distinct from 1 or m._id is null)::int as wrong_events,
    (select count(*) from contacts)::int as contacts,
    (select count(*) from contacts c full join (select * from told where event = 'CONTACT_CREATED') t
      on t.company_id = c.company_id and t.resource_id = c._id where t.times is distinct from 1 or c._id is null)::int as wrong_contacts,
    (select count(*) from conversations)::int as threads,
    (select count(*) from conversations v full join (select * from told where event = 'CONVERSATION_CREATED') t
      on t.company_id = v.company_id and t.resource_id = v._id where t.times is distinct from 1 or v.status <> 'OPEN'
        or v.unread_count <> (select count(*) from messages m where m.company_id = v.company_id and m.conversation_id = v._id))::int as wrong_threads,
    (select count(*) from callbacks_aside)::int as aside`;

async function compareWithAcknowledged(
  { stage, acknowledged, posts }: IngestionRun,
  plan: PlannedPost[],
  { size, texts }: { size: IngestionSize; texts: WrittenText[] },
): Promise<IngestionResult> {
  const rows = await stage.store.sql<{ external_id: string }>('select external_id from messages');
  const stored = new Set(rows.map((row) => row.external_id));
  const sent = new Set(plan.flatMap((post) => post.ids));
  assert.equal(sent.size, size.messages);
  assert.deepEqual(
    [...acknowledged].filter((id) => !stored.has(id)),
    [],
    'a callback was answered 200 and lost',
  );
  assert.deepEqual(
    [...stored].filter((id) => !sent.has(id)),
    [],
    'a message came from nowhere',
  );
  const [facts] = await stage.store.sql<StoredFacts & Record<string, unknown>>(FACTS);
  assert.ok(facts);
  assert.equal(facts.messages, stored.size, 'a message is stored twice');
  assert.equal(facts.wrong_events, 0, 'a message without exactly one MESSAGE_RECEIVED');
  // There is one contact per person, in whatever way the person was named.
  const persons = new Set(texts.filter(({ id }) => stored.has(id)).map(({ person }) => person));
  assert.equal(facts.contacts, persons.size, 'a person is two contacts, or none');
  assert.equal(facts.wrong_contacts, 0, 'a contact without exactly one CONTACT_CREATED');
  assert.equal(facts.threads, persons.size, 'a person has two conversations, or none');
  assert.equal(
    facts.wrong_threads,
    0,
    'a conversation that is not open, has not exactly one event, or has a wrong unread count',
  );
  assert.equal(facts.aside, 0, 'a sound element was put aside');
  const repeatedPosts = posts - plan.length;
  assertWorkWasInterrupted('a post', { blows: size.kills + size.restarts, met: repeatedPosts });
  return {
    messages: size.messages,
    posts: plan.length,
    repeatedPosts,
    acknowledged: acknowledged.size,
    stored: stored.size,
    contacts: facts.contacts,
    kills: size.kills,
    restarts: size.restarts,
  };
}
