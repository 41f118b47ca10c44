/**
 * One key sends ten times the requests that its rate allows while other companies send their usual
 * requests. Phases with and without this flood alternate, so that disturbances of the machine affect both.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'undici';
import { percentile99 } from '../harness/percentile.ts';
import { repeatAtRate } from '../harness/rhythm.ts';
import { withStage, type Tenant } from '../harness/stage.ts';

export interface FloodsSize {
  companies: number;
  /** The number of phases with the flood, and of phases without it. */
  rounds: number;
  /** The length of each phase. */
  seconds: number;
  /**
   * False on a shared machine, where one pause decides the 99th percentile of few requests: there the medians are compared, with a wide
   * margin.
   */
  judgesPace: boolean;
}

export interface FloodsResult {
  requests: number;
  alone99Ms: number;
  beside99Ms: number;
  /** The number of requests of the flood, and how many of them were admitted. */
  flooded: number;
  admitted: number;
}

// The flooding key's limit in requests per second, and how many times that rate it sends.
const RATE = 20;
const FLOOD = 10;
// Requests per second of each other company, well within its rate.
const HONEST_PER_SECOND = 10;
// How many times longer the requests of other companies may take, and the milliseconds that a busy process cannot measure.
const MOST_RATIO = 1.2;
const CLOCK_MS = 5;

interface FloodsRun {
  url: string;
  agent: Agent;
  others: Tenant[];
  flooding: Tenant;
  seconds: number;
  /** The answers to an admitted request. Where the pace is not judged, the machine may be too busy for it. */
  admitted: number[];
  account: FloodsResult;
}

export async function proveFloods(size: FloodsSize): Promise<FloodsResult> {
  return withStage({}, async (stage) => {
    const agent = new Agent({ connections: 64 });
    try {
      const { url } = await stage.start('all', { RATE_LIMIT_PER_KEY: String(RATE) });
      const others = await Promise.all(
        Array.from({ length: size.companies }, (_, n) => stage.createTenant(`Company ${n}`)),
      );
      const flooding = await stage.createTenant('Flooding');
      const times = { alone: [] as number[], beside: [] as number[] };
      const account = {
        requests: 0,
        alone99Ms: 0,
        beside99Ms: 0,
        flooded: 0,
        admitted: 0,
      };
      const admitted = size.judgesPace ? [200] : [200, 503];
      const play: FloodsRun = { url, agent, others, flooding, seconds: size.seconds, admitted, account };
      // The first requests open connections and compile code, so they are not measured.
      await Promise.all([sendOrdinaryRequests(play), sendFlood(play)]);
      Object.assign(account, { requests: 0, flooded: 0, admitted: 0 });
      for (let round = 0; round < size.rounds; round += 1) {
        times.alone.push(...(await sendOrdinaryRequests(play)));
        times.beside.push(...(await Promise.all([sendOrdinaryRequests(play), sendFlood(play)]))[0]);
      }
      const { alone, beside } = times;
      Object.assign(account, { alone99Ms: percentile99(alone), beside99Ms: percentile99(beside) });
      assertOrdinaryPace(account, size);
      return account;
    } finally {
      await agent.destroy();
    }
  });
}

function assertOrdinaryPace(account: FloodsResult, size: FloodsSize): void {
  const { alone99Ms, beside99Ms, flooded, admitted } = account;
  assert.ok(admitted > 0 && admitted < flooded, `of ${flooded} requests of the flood ${admitted} were admitted`);
  const isWell = beside99Ms <= alone99Ms * MOST_RATIO + CLOCK_MS;
  assert.ok(!size.judgesPace || isWell, `99 % took ${beside99Ms} ms beside a flood, and ${alone99Ms} ms without it`);
}

async function getWebhook({ url, agent }: FloodsRun, { key }: Tenant): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const { statusCode, body } = await request(`${url}/v1/webhooks`, { dispatcher: agent, headers });
  await body.dump();
  return statusCode;
}

/** Sends the requests of every company except the flooding one, and returns their durations in milliseconds. */
async function sendOrdinaryRequests(play: FloodsRun): Promise<number[]> {
  const times = await Promise.all(
    play.others.map((tenant) =>
      repeatAtRate(HONEST_PER_SECOND, play.seconds, async () => {
        const started = performance.now();
        assert.ok(
          play.admitted.includes(await getWebhook(play, tenant)),
          'a company was refused for what another asks',
        );
        return performance.now() - started;
      }),
    ),
  );
  play.account.requests += times.flat().length;
  return times.flat();
}

async function sendFlood(play: FloodsRun): Promise<void> {
  const statuses = await repeatAtRate(FLOOD * RATE, play.seconds, () => getWebhook(play, play.flooding));
  const admitted = statuses.filter((status) => status === 200).length;
  assert.deepEqual(
    statuses.filter((status) => status !== 429 && !play.admitted.includes(status)),
    [],
  );
  play.account.flooded += statuses.length;
  play.account.admitted += admitted;
}
