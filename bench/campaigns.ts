/**
 * Benchmark (campaigns): the start of a campaign beside one INSERT … SELECT of the same rows, sending beside a bulk run, and what an answer
 * of the analytics and the choice of the next messages cost with 1,000,000 enrollments beside 1,000.
 */
import { lockDue, listDue } from '../src/features/campaigns/portion-queries.ts';
import { ROLES } from '../src/platform/store/roles.ts';
import { openDatabase } from '../src/platform/store/open-database.ts';
import { connectAs } from '../test/support/database.ts';
import { reportProgress } from '../test/support/progress.ts';
import { waitUntil } from '../test/support/wait.ts';
import { fillTables } from './fill.ts';
import { makeRatioFigure, median, percentile, type Figure } from './measure.ts';
import { findSendingInbox, spawnProgram, type BenchStage, type SpawnedProgram } from './stage.ts';

const AUDIENCE = 100_000;
const SENT = 2_000;
const ROUNDS = 3;
const LARGE = 1_000_000;
const SMALL = 1_000;
// A portion of a campaign.
const DUE = 100;
const CALLS = 300;
// So many messages a second that no slot is ever waited for.
const NO_PACE = '100000';
const LOOK_MS = 600_000;
const TEMPLATE = { name: 'hello_world', language: 'pt_BR' };

interface Bench {
  stage: BenchStage;
  platform: SpawnedProgram;
  inbox: string;
}

export async function benchCampaigns(stage: BenchStage): Promise<Figure[]> {
  const sandbox = await spawnProgram('sandbox/main.ts', [], { SANDBOX_OPEN: '1', SANDBOX_APP_SECRET: stage.appSecret });
  const env = { WAP_GRAPH_URL: sandbox.url, OUTBOUND_ALLOW: '127.0.0.0/8', NUMBER_THROUGHPUT: NO_PACE };
  const platform = await spawnProgram('src/launch.js', ['all'], { ...stage.env, ...env });
  try {
    const inbox = await findSendingInbox(stage);
    const bench = { stage, platform, inbox };
    await stage.database.sql('delete from event_listeners');
    await stage.database.sql('update portfolios set people_limit = -1');
    await waitUntil('the templates', async () => {
      const { result } = await callApi(bench, 'GET', `/v1/inboxes/${bench.inbox}/templates?name=hello_world`);
      return (result as unknown[]).length > 0;
    });
    await insertContacts(bench);
    return [await compareStart(bench), await compareSends(bench), ...(await compareSizes(bench))];
  } finally {
    await platform.stop();
    await sandbox.stop();
  }
}

async function callApi(
  { platform, stage: { key } }: Bench,
  method: string,
  path: string,
  body?: object | FormData,
): Promise<Record<string, unknown>> {
  const isForm = body instanceof FormData;
  const response = await fetch(platform.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Creates the contacts of the audience, and a group of contacts for each round of sending. */
const insertContacts = async ({ stage: { database, company } }: Bench): Promise<void> =>
  fillTables(database, ['contacts', 'contact_identities'], async () => {
    const groups = 2 * ROUNDS + 2;
    await database.sql(
      `with made as (
          insert into contacts (company_id, _id, name, phone_number, country_code, source, tags)
            select $1, new_id(), 'Person ' || n, '+55119' || (40000000 + n), 'BR', 'API',
              array[case when n <= $2::int then 'audience' else 'group' || ((n - $2 - 1) / $3) end]
            from generate_series(1, $2::int + $3::int * $4::int) n returning _id, phone_number
        )
        insert into contact_identities (company_id, kind, value, contact_id, address)
          select $1, 'PHONE', substr(phone_number, 2), _id, substr(phone_number, 2) from made`,
      [company, AUDIENCE, SENT, groups],
    );
  });

async function createCampaign(bench: Bench, tag: string, delayMinutes: number): Promise<string> {
  const filters = [{ field: 'contact.name', operator: 'starts_with', value: 'Person' }];
  const { _id } = await callApi(bench, 'POST', '/v1/campaigns', {
    name: 'Bench',
    inbox: bench.inbox,
    steps: [{ template: TEMPLATE, delay_minutes: delayMinutes }],
    audience: { filters, tags: [tag] },
  });
  return _id as string;
}

/** Starts a campaign and returns how long it takes until the condition holds. */
async function timeCampaign(bench: Bench, campaign: string, condition: string): Promise<number> {
  const startedMs = performance.now();
  await callApi(bench, 'POST', `/v1/campaigns/${campaign}/start`);
  await awaitCampaign(bench, campaign, condition);
  return performance.now() - startedMs;
}

async function awaitCampaign({ stage: { database } }: Bench, campaign: string, condition: string): Promise<void> {
  const look = `select 1 from campaigns where _id = $1 and ${condition}`;
  await waitUntil(condition, async () => (await database.sql(look, [campaign])).length > 0, LOOK_MS);
}

/** Enrols a group of contacts, and returns how long a campaign takes to send to all of them. */
async function timeSends(bench: Bench, tag: string): Promise<number> {
  const { database } = bench.stage;
  const campaign = await createCampaign(bench, tag, 60);
  await timeCampaign(bench, campaign, 'is_enrolled and claimed_at is null and held_until > now()');
  await database.sql('update campaign_enrollments set next_run_at = now() where campaign_id = $1', [campaign]);
  const startedMs = performance.now();
  await database.sql('update campaigns set held_until = now() where _id = $1', [campaign]);
  await awaitCampaign(bench, campaign, `status = 'COMPLETED'`);
  return performance.now() - startedMs;
}

async function compareStart(bench: Bench): Promise<Figure> {
  const { database, company } = bench.stage;
  const client = await connectAs(ROLES.system, database, { statementMs: 0 });
  const rates: Record<'own' | 'bare', number[]> = { own: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const campaign = await createCampaign(bench, 'audience', 60);
    rates.own.push((AUDIENCE * 1_000) / (await timeCampaign(bench, campaign, 'is_enrolled')));
    await callApi(bench, 'POST', `/v1/campaigns/${campaign}/pause`);
    await clearEnrollments(bench);
    const other = await createCampaign(bench, 'audience', 60);
    const startedMs = performance.now();
    await client.query(
      `insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, next_run_at)
        select $1, new_id(), $2, _id, now() + interval '1 hour' from contacts
        where company_id = $1 and tags && '{audience}' and name like 'Person%'`,
      [company, other],
    );
    rates.bare.push((AUDIENCE * 1_000) / (performance.now() - startedMs));
    await clearEnrollments(bench);
    reportProgress(`${Math.round(rates.own.at(-1) ?? 0)} of ${Math.round(rates.bare.at(-1) ?? 0)} enrolments/s`);
  }
  await client.end();
  return makeRatioFigure('(campaigns) enrolments / one INSERT … SELECT', median(rates.own), median(rates.bare), 0.5);
}

async function clearEnrollments({ stage: { database } }: Bench): Promise<void> {
  for (const table of ['campaign_changes', 'campaign_counters', 'campaign_enrollments'])
    await database.sql(`delete from ${table}`);
  await database.sql('vacuum analyze campaign_enrollments');
}

async function compareSends(bench: Bench): Promise<Figure> {
  const rates: Record<'own' | 'bare', number[]> = { own: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ownMs = await timeSends(bench, `group${2 * round}`);
    const bareMs = await timeBulk(bench, `group${2 * round + 1}`);
    reportProgress(`${Math.round((SENT * 1_000) / ownMs)} of ${Math.round((SENT * 1_000) / bareMs)} sends/s`);
    // The first round loads code and prepares statements.
    if (round === 0) continue;
    rates.own.push((SENT * 1_000) / ownMs);
    rates.bare.push((SENT * 1_000) / bareMs);
  }
  const [row] = await bench.stage.database.sql<{ sent: number }>(
    `select count(*)::int as sent from campaign_enrollments where sent_at is not null`,
  );
  if (row?.sent !== SENT * (ROUNDS + 1)) throw new Error(`campaigns sent ${row?.sent} messages`);
  return makeRatioFigure('(campaigns) sends / a bulk run', median(rates.own), median(rates.bare), 0.8);
}

async function timeBulk(bench: Bench, tag: string): Promise<number> {
  const people = await bench.stage.database.sql<{ phone: string }>(
    `select phone_number as phone from contacts where tags && array[$1]`,
    [tag],
  );
  const form = new FormData();
  const parts = { inboxId: bench.inbox, templateName: TEMPLATE.name, languageCode: TEMPLATE.language };
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  form.set('contacts', JSON.stringify(people));
  const startedMs = performance.now();
  const { sentCount } = await callApi(bench, 'POST', '/v1/messages/send-bulk-template', form);
  if (sentCount !== SENT) throw new Error(`a bulk run sent ${String(sentCount)} messages`);
  return performance.now() - startedMs;
}

/** Compares two campaigns in the same tables, one of them with a thousand times as many contacts, of whom none is due but the first. */
async function compareSizes(bench: Bench): Promise<Figure[]> {
  const { database, company } = bench.stage;
  const [large, small] = [await createCampaign(bench, 'none', 0), await createCampaign(bench, 'none', 0)];
  await fillTables(database, ['campaign_enrollments'], async () => {
    for (const [campaign, count] of [
      [large, LARGE],
      [small, SMALL],
    ] as const)
      await database.sql(
        `insert into campaign_enrollments (company_id, _id, campaign_id, contact_id, status, sent_at, next_run_at)
          select $1, new_id(), $2, c._id, case when n % 2 = 0 then 'SENT' else 'PENDING' end, case when n % 2 = 0 then now() end,
            now() - interval '1 day' + n * interval '1 millisecond'
          from generate_series(1, $3::int) n left join (
            select _id, row_number() over (order by _id) as n from contacts where company_id = $1 and tags && '{audience}' limit 500
          ) c using (n)`,
        [company, campaign, count],
      );
  });
  await waitUntil('the sums', async () => (await database.sql('select 1 from campaign_changes')).length === 0, LOOK_MS);
  const analytics = await compareTimes('(campaigns) analytics, 1,000,000 / 1,000', [large, small], (campaign) =>
    callApi(bench, 'GET', `/v1/campaigns/${campaign}/analytics`),
  );
  const own = openDatabase({ url: database.url, poolSize: 2 });
  const claims = await compareTimes('(campaigns) claim of due, 1,000,000 / 1,000', [large, small], async (campaign) => {
    const due = await listDue(own.read(company), campaign, DUE);
    const ids = due.map(({ enrollment }) => enrollment);
    const asked = { inbox: bench.inbox, places: { PHONE: 0 }, restingCodes: ['131049'] };
    const locked = await own.tenantTx(company, (tx) => lockDue(tx, ids, asked));
    if (locked.length !== DUE) throw new Error(`${locked.length} enrollments were due`);
  });
  await own.close();
  return [analytics, claims];
}

/** Calls alternate, so that a disturbance of the machine affects both sizes alike. */
async function compareTimes(
  name: string,
  campaigns: [large: string, small: string],
  call: (campaign: string) => Promise<unknown>,
): Promise<Figure> {
  reportProgress(name);
  const times: [number[], number[]] = [[], []];
  // The first calls are not measured: they load pages from the disk and prepare statements.
  for (let round = -20; round < CALLS; round += 1)
    for (const [place, campaign] of campaigns.entries()) {
      const startedMs = performance.now();
      await call(campaign);
      if (round >= 0) times[place]?.push(performance.now() - startedMs);
    }
  const [large, small] = [percentile(times[0], 50), percentile(times[1], 50)];
  const ratio = large / small;
  return {
    name,
    value: `${ratio.toFixed(2)} x (p50 ${large.toFixed(2)} of ${small.toFixed(2)} ms)`,
    goal: '<= 1.2 x',
    met: ratio <= 1.2,
  };
}
