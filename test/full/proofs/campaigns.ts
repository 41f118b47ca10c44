/**
 * Runs a campaign of two steps while the workers that send it are killed, the database crashes, and the network reports statuses twice and
 * in any order. The list of messages in the sandbox network shows who got which step, and how often.
 */
import assert from 'node:assert/strict';
import { makePoolSetting } from '../../support/platform.ts';
import { waitUntil } from '../../support/wait.ts';
import { createAcceptedCount } from '../harness/accepted.ts';
import { assertWorkWasInterrupted } from '../harness/blows.ts';
import { createChance } from '../harness/chance.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { call, createInbox, withStage, type Stage, type Tenant } from '../harness/stage.ts';

export interface CampaignSize {
  contacts: number;
  /** How many messages the network reports as failed after it has accepted them. */
  failures: number;
  kills: number;
  /** How often the database is crashed and started again. */
  restarts: number;
  /** How many contacts another company's campaign has, which completes while this one sends; 0 for no such campaign. */
  neighbours: number;
  seed: number;
}

export interface CampaignFigures {
  contacts: number;
  sent: number;
  failed: number;
  unknown: number;
  kills: number;
  restarts: number;
  /** How long the campaign of the other company took. */
  neighbour_ms: number | null;
}

const PHONE = '100000000000215';
const NEIGHBOUR_PHONE = '100000000000216';
const FIRST_NUMBER = 60_000_000;
const FIRST_NEIGHBOUR = 50_000_000;
const WORKERS = 2;
const CONNECTIONS = 6;
const LOOK_MS = 5_000;
const RUN_MS = 600_000;
/** How much longer the end is waited for with each contact, in milliseconds. */
const CONTACT_MS = 60;
const STEPS = 2;

export async function proveCampaigns(size: CampaignSize): Promise<CampaignFigures> {
  return withStage({ killable: size.restarts > 0 }, async (stage) => {
    const chance = createChance(size.seed);
    const env = { NUMBER_THROUGHPUT: '250', ...makePoolSetting(CONNECTIONS) };
    const api = await stage.start('api', env);
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => stage.start('worker', env)));
    const tenant = await stage.createTenant('Sender');
    const inbox = await createInbox(api, tenant, PHONE);
    const copied = 'select 1 from template_catalogues where fetched_at is not null';
    await waitUntil('the templates', async () => (await stage.store.sql(copied)).length > 0);
    // A new business may write to fewer people a day than the campaign has.
    await stage.store.sql('update portfolios set people_limit = -1');
    await insertContacts(stage, tenant, FIRST_NUMBER, size.contacts);
    await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, {
      body: {
        callback_url: `${api.url}/hooks/wap`,
        duplicates: 1,
        shuffle: 300,
        fail_status: { code: 131026, times: size.failures },
      },
    });
    const campaign = await startCampaign(api, tenant, inbox);
    const accepted = followAccepted(stage);
    const { kills, restarts } = size;
    const blows = chance.shuffle([...Array(kills).fill('kill'), ...Array(restarts).fill('restart')] as Blow[]);
    const neighbour_ms = size.neighbours > 0 ? await proveNeighbour(stage, api, { campaign, size }) : null;
    let met = 0;
    for (const [place, blow] of blows.entries()) {
      const wanted = Math.floor(((place + 1) / (blows.length + 1)) * size.contacts);
      await waitUntil('messages to arrive', async () => (await countSends(stage)) >= wanted, RUN_MS);
      met += await strike(stage, blow, chance.pick(workers));
    }
    assertWorkWasInterrupted('a campaign', { blows: kills, met });
    await awaitEnd(stage, api, { tenant, campaign, size });
    return {
      ...(await audit(stage, api, { tenant, campaign, size, accepted: await accepted.stop() })),
      kills,
      restarts,
      neighbour_ms,
    };
  });
}

/** Runs a campaign of another company while the large one sends. Returns how long it took. */
async function proveNeighbour(
  stage: Stage,
  api: PlatformProcess,
  { campaign, size }: { campaign: string; size: CampaignSize },
): Promise<number> {
  const neighbour = await stage.createTenant('Neighbour');
  const inbox = await createInbox(api, neighbour, NEIGHBOUR_PHONE);
  const copied = 'select 1 from template_catalogues where company_id = $1 and fetched_at is not null';
  await waitUntil('the templates', async () => (await stage.store.sql(copied, [neighbour._id])).length > 0);
  await insertContacts(stage, neighbour, FIRST_NEIGHBOUR, size.neighbours);
  await waitUntil('messages to arrive', async () => (await countSends(stage)) > 0, RUN_MS);
  const startedMs = performance.now();
  const small = await startCampaign(api, neighbour, inbox);
  const sent = 'select count(*)::int as sent from campaign_enrollments where campaign_id = $1 and sent_at is not null';
  const countSent = async (id: string) => (await stage.store.sql<{ sent: number }>(sent, [id]))[0]?.sent ?? 0;
  await waitUntil("the other company's campaign", async () => (await countSent(small)) === size.neighbours, RUN_MS);
  const takenMs = Math.round(performance.now() - startedMs);
  const large = await countSent(campaign);
  assert.ok(large < size.contacts / 2, `the large campaign had reached ${large} contacts by then`);
  return takenMs;
}

type Blow = 'kill' | 'restart';

/** Kills a worker, or crashes the database. Returns how many campaigns the killed worker may have held: nobody frees them, they free themselves. */
async function strike({ store }: Stage, blow: Blow, worker: PlatformProcess): Promise<number> {
  if (blow === 'restart') {
    await store.crash();
    await store.revive();
    return 0;
  }
  await worker.kill();
  const held = await store.sql('select 1 from campaigns where claimed_at is not null');
  await worker.restart();
  return held.length;
}

/** Creates contacts with phone numbers by SQL, because the operation would take longer than the campaign. */
export async function insertContacts({ store }: Stage, { _id }: Tenant, first: number, count: number): Promise<void> {
  await store.sql(
    `with made as (
        insert into contacts (company_id, _id, name, phone_number, country_code, source)
          select $1, new_id(), 'Person ' || n, '+55119' || ($2::int + n), 'BR', 'API' from generate_series(0, $3::int - 1) n
          returning _id, phone_number
      )
      insert into contact_identities (company_id, kind, value, contact_id, address)
        select $1, 'PHONE', substr(phone_number, 2), _id, substr(phone_number, 2) from made`,
    [_id, first, count],
  );
}

/** Starts a campaign for everybody in Brazil. */
export async function startCampaign(
  { url }: PlatformProcess,
  { key }: Tenant,
  inbox: string,
  length = STEPS,
): Promise<string> {
  const steps = Array.from({ length }, () => ({ template: { name: 'hello_world', language: 'pt_BR' } }));
  const filters = [{ field: 'contact.country_code', operator: 'eq', value: 'BR' }];
  const body = {
    name: 'Proof',
    inbox,
    steps,
    audience: { filters },
    error_threshold: null,
    send_to_active_conversations: true,
  };
  const { _id } = await call(201, 'POST', `${url}/v1/campaigns`, { key, body });
  await call(201, 'POST', `${url}/v1/campaigns/${_id}/start`, { key });
  return _id as string;
}

const countSends = async ({ sandboxUrl }: Stage): Promise<number> =>
  (await call(200, 'GET', `${sandboxUrl}/sandbox/stats`)).sends as number;

/** Waits until nothing is sent any more and no status is on its way. */
async function awaitEnd(stage: Stage, { url }: PlatformProcess, { tenant, campaign, size }: Sent): Promise<void> {
  const waiting = `select 1 from campaign_enrollments where next_run_at is not null union all select 1 from campaigns where not is_enrolled`;
  let last = '';
  await waitUntil(
    'the campaign to rest',
    async () => {
      // A second step would wait half a minute for the next look of a worker.
      await stage.store.sql('update campaigns set held_until = now() where held_until > now() and claimed_at is null');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const { generated_at: _at, ...now } = await call(200, 'GET', `${url}/v1/campaigns/${campaign}/analytics`, {
        key: tenant.key,
      });
      const before = last;
      last = JSON.stringify(now);
      return before === last && (await stage.store.sql(waiting)).length === 0;
    },
    RUN_MS + CONTACT_MS * size.contacts,
  );
}

interface Sent {
  tenant: Tenant;
  campaign: string;
  size: CampaignSize;
}

interface Audited extends Sent {
  /** How often the network accepted a message for each number. */
  accepted: Map<string, number>;
}

interface EnrollmentState {
  phone: string;
  status: string;
  steps: number;
  unknown: boolean;
}

async function audit(
  stage: Stage,
  { url }: PlatformProcess,
  { tenant, campaign, size, accepted }: Audited,
): Promise<Omit<CampaignFigures, 'kills' | 'restarts' | 'neighbour_ms'>> {
  const states = await stage.store.sql<EnrollmentState>(
    `select substr(c.phone_number, 2) as phone, e.status, (select count(*)::int from campaign_sends s where s.enrollment_id = e._id) as steps,
      exists (select from messages m where m._id = e.message_id and m.status = 'QUEUED') as unknown
      from campaign_enrollments e join contacts c on c._id = e.contact_id where e.campaign_id = $1`,
    [campaign],
  );
  assert.equal(states.length, size.contacts, 'each contact takes part once');
  for (const { phone, status, steps, unknown } of states) {
    const times = accepted.get(phone) ?? 0;
    assert.ok(times <= steps, `${phone} got ${times} messages of ${steps} steps`);
    assert.ok(
      times >= (unknown ? steps - 1 : steps),
      `${phone} is ${status} and got ${times} messages of ${steps} steps`,
    );
    const right = unknown ? ['PENDING', 'SENT', 'DELIVERED', 'READ'] : ['COMPLETED', 'FAILED'];
    assert.ok(right.includes(status), `${phone} is ${status}${unknown ? ' with an unknown outcome' : ''}`);
  }
  const wrong = await stage.store.sql('select * from campaign_differences($1, $2)', [tenant._id, campaign]);
  assert.deepEqual(wrong, [], 'the counters differ from a recount');
  const { sent, failed, total_contacts } = await call(200, 'GET', `${url}/v1/campaigns/${campaign}/analytics`, {
    key: tenant.key,
  });
  const failedStates = states.filter(({ status }) => status === 'FAILED').length;
  assert.deepEqual([total_contacts, failed], [size.contacts, failedStates]);
  return { contacts: size.contacts, sent, failed, unknown: states.filter(({ unknown }) => unknown).length };
}

/** Counts the messages that the network accepts for each number while it accepts them, because the network lists only the last 50,000. */
function followAccepted(stage: Stage): { stop(): Promise<Map<string, number>> } {
  const { counts, readOn } = createAcceptedCount(stage);
  let reading = readOn();
  const timer = setInterval(() => {
    reading = reading.then(readOn);
  }, LOOK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await reading.then(readOn);
      return counts;
    },
  };
}
