/**
 * A mailed link works once: of many callers that use the same link at the same moment, at several processes,
 * one sets the password. Answers reveal nothing about accounts: a token that never existed, was used, or has
 * expired is refused with the same bytes in the same time, and so is a log-in with and without an account. The
 * requests for a new password and for an invitation are answered the same for known and unknown addresses.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Client, request, type Dispatcher } from 'undici';
import { readCpuMs } from '../../support/cpu.ts';
import { createUser } from '../../../src/features/users/users.ts';
import { hashToken } from '../../../src/platform/http/auth.ts';
import type { PlatformProcess } from '../harness/processes.ts';
import { withStage, type Stage } from '../harness/stage.ts';

export interface ResetSize {
  /** The number of processes of the platform. */
  processes: number;
  /** The number of callers that use the same link at the same moment. */
  uses: number;
  /** The number of requests with each kind of refused token. */
  tries: number;
  /** The number of log-ins of each refused kind; each takes some 30 ms. */
  logIns: number;
  /**
   * Whether the times of the answers are judged, which needs many requests on a quiet machine. Otherwise the CPU times are, which other
   * programs on the machine hardly change.
   */
  judgesMs: boolean;
}

export interface ResetResult {
  uses: number;
  /** The number of requests that got 503 and were repeated. */
  cameAgain: number;
  resetMs: number;
  resetDifferenceMs: number;
  logInMs: number;
  logInDifferenceMs: number;
  forgetMs: number;
  forgetDifferenceMs: number;
  inviteMs: number;
  inviteDifferenceMs: number;
}

// How far the medians of two kinds of request may be apart.
const BAR_MS = 1;
const PASSWORD = 'correct horse battery';
// The number of requests before the measurement, enough for code to be compiled and statements to be planned.
const WARM_UP = 10;
// The number of times that a request is repeated after 503 before the proof fails.
const MOST_REPEATS = 20;

interface ResetRun {
  stage: Stage;
  processes: PlatformProcess[];
  company: string;
  key: string;
}

interface Person {
  _id: string;
  email: string;
}

export async function proveReset(size: ResetSize): Promise<ResetResult> {
  return withStage({}, async (stage) => {
    const processes = await Promise.all(Array.from({ length: size.processes }, () => stage.start('api')));
    const { _id: company, key } = await stage.createTenant('Forgetful');
    const play = { stage, processes, company, key };
    const cameAgain = await useLinkConcurrently(play, size.uses);
    const resets = await measureResets(play, size.tries);
    const logIns = await measureLogIns(play, size.logIns);
    const forgets = await measureForgets(play, size.tries);
    const invitations = await measureInvitations(play, size.tries);
    // Half of what the hash of a password takes: no kind of request may hash one more than another.
    const limitMs = logIns.cpuMs / 2;
    for (const [what, times] of Object.entries({ resets, logIns, forgets, invitations })) {
      const [differenceMs, mostMs] = size.judgesMs
        ? [times.differenceMs, BAR_MS]
        : [times.dearestCpuMs - times.cpuMs, limitMs];
      assert.ok(differenceMs <= mostMs, `the times of ${what} differ: ${JSON.stringify(times)}`);
    }
    assert.ok(resets.cpuMs < limitMs, `a refused token takes ${resets.cpuMs} ms of CPU: a password is hashed for it`);
    return {
      uses: size.uses,
      cameAgain,
      resetMs: resets.medianMs,
      resetDifferenceMs: resets.differenceMs,
      logInMs: logIns.medianMs,
      logInDifferenceMs: logIns.differenceMs,
      forgetMs: forgets.medianMs,
      forgetDifferenceMs: forgets.differenceMs,
      inviteMs: invitations.medianMs,
      inviteDifferenceMs: invitations.differenceMs,
    };
  });
}

function createPerson({ stage, company }: ResetRun): Promise<Person> {
  const email = `${randomBytes(6).toString('hex')}@example.test`;
  const person = { company, name: 'Olga', email, role: 'OPERATOR', password: PASSWORD } as const;
  return stage.database.systemTx('upkeep', (tx) => createUser(tx, person));
}

/** Creates the token of a link as a mail would contain it. */
async function createToken({ stage, company }: ResetRun, { _id }: Person, life = '1 hour'): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await stage.store.sql(
    'insert into password_tokens (token_hash, company_id, user_id, expires_at) values ($1, $2, $3, now() + $4::interval)',
    [hashToken(token), company, _id, life],
  );
  return token;
}

interface TimedAnswer {
  status: number;
  /** The seconds after which to retry, when the answer is 503. */
  retrySeconds: number;
  /** The answer exactly as it was sent. */
  text: string;
}

interface PublicEndpoint {
  url: string;
  /** The process that answers. */
  pid: number;
  dispatcher: Dispatcher;
  /** The API key of an operation that needs one. */
  key?: string;
}

async function postTimed(
  { url, dispatcher, key }: Omit<PublicEndpoint, 'pid'>,
  path: string,
  body: object,
): Promise<TimedAnswer> {
  const answer = await request(`${url}/v1/${path}`, {
    method: 'POST',
    dispatcher,
    headers: {
      'content-type': 'application/json',
      'x-request-id': 'the-same',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: JSON.stringify(body),
  });
  const { statusCode: status, headers } = answer;
  const text = `${status} ${headers['content-type'] as string} ${await answer.body.text()}`;
  return { status, retrySeconds: Number(headers['retry-after'] ?? 0), text };
}

/** Uses one link many times concurrently, each time with another password. Returns how many requests got 503 and were repeated. */
async function useLinkConcurrently(play: ResetRun, uses: number): Promise<number> {
  const person = await createPerson(play);
  const token = await createToken(play, person);
  const agent = new Agent({ connections: Math.ceil(uses / play.processes.length) });
  let cameAgain = 0;
  const use = async (number: number): Promise<TimedAnswer> => {
    const { url } = play.processes[number % play.processes.length] as PlatformProcess;
    for (let time = 0; ; time += 1) {
      const body = { token, new_password: `password ${number}` };
      const answer = await postTimed({ url, dispatcher: agent }, 'auth/reset-password', body);
      if (answer.status !== 503 || time === MOST_REPEATS) return answer;
      cameAgain += 1;
      await sleep(1_000 * answer.retrySeconds);
    }
  };
  try {
    const answers = await Promise.all(Array.from({ length: uses }, (_, number) => use(number)));
    const winners = [...answers.keys()].filter((number) => answers[number]?.status === 200);
    assert.equal(winners.length, 1, `${winners.length} of ${uses} uses of one link set the password`);
    const others = new Set(answers.filter(({ status }) => status !== 200).map(({ text }) => text));
    assert.match([...others].join('\n'), /^400 application\/problem\+json.*"code":"INVALID_RESET_TOKEN".*$/);
    const [api] = play.processes as [PlatformProcess];
    const logIn = (password: string) =>
      postTimed({ url: api.url, dispatcher: agent }, 'auth/login', { email: person.email, password });
    assert.equal(
      (await logIn(`password ${winners[0]}`)).status,
      200,
      'the password is that of the caller answered 200',
    );
    assert.equal((await logIn(PASSWORD)).status, 401);
    const [row] = await play.stage.store.sql<{ session_version: number }>(
      'select session_version from users where _id = $1',
      [person._id],
    );
    assert.equal(row?.session_version, 1);
    return cameAgain;
  } finally {
    await agent.destroy();
  }
}

/** The answer that all kinds of request to an operation must get. */
const ANSWERS = {
  'auth/reset-password': /^400 application\/problem\+json.*"INVALID_RESET_TOKEN"/,
  'auth/login': /^401 application\/problem\+json.*"INVALID_CREDENTIALS"/,
  'auth/forgot-password': /^200 application\/json.* {"ok":true,"mail_server":(?:true|false)}$/,
  users: /^201 application\/json.*"status":"INVITED"/,
};

/** Matches the fields that differ between records: id, address, times and link. */
const RECORD_FIELDS = /"(_id|email|createdAt|updatedAt|invitation_link)":"[^"]*"/g;

interface MeasuredTimes {
  medianMs: number;
  differenceMs: number;
  /** The CPU time of a request of the cheapest kind. */
  cpuMs: number;
  dearestCpuMs: number;
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const roundToMicroseconds = (ms: number): number => Math.round(1_000 * ms) / 1_000;

/**
 * Returns the order of the kinds of request in one turn. Each kind comes first, and after each other kind, equally often, because a request
 * may slow down the next one.
 */
function orderKinds(turn: number, kinds: number): number[] {
  const order = Array.from({ length: kinds }, (_, step) => (turn + step) % kinds);
  return turn % 2 === 0 ? order : order.toReversed();
}

/**
 * Sends all kinds of request in turn on one connection, so that disturbances of the machine affect all of them alike, and then each kind by
 * itself to measure its CPU time.
 */
async function measureKinds(
  door: Omit<PublicEndpoint, 'dispatcher'>,
  path: keyof typeof ANSWERS,
  kinds: (() => object)[],
  turns: number,
): Promise<MeasuredTimes> {
  const client = new Client(door.url);
  const times = kinds.map((): number[] => []);
  const cpuMs: number[] = [];
  const texts = new Set<string>();
  try {
    for (let turn = -WARM_UP; turn < turns; turn += 1) {
      for (const which of orderKinds(Math.abs(turn), kinds.length)) {
        const body = (kinds[which] as () => object)();
        const started = performance.now();
        const { text } = await postTimed({ ...door, dispatcher: client }, path, body);
        if (turn >= 0) times[which]?.push(performance.now() - started);
        texts.add(text.replaceAll(RECORD_FIELDS, '$1'));
      }
    }
    for (const makeBody of kinds) {
      const beforeMs = readCpuMs(door.pid);
      for (let turn = 0; turn < turns; turn += 1) await postTimed({ ...door, dispatcher: client }, path, makeBody());
      cpuMs.push((readCpuMs(door.pid) - beforeMs) / turns);
    }
  } finally {
    await client.destroy();
  }
  assert.equal(texts.size, 1, `answers differ:\n${[...texts].join('\n')}`);
  assert.match([...texts].join(''), ANSWERS[path]);
  const medians = times.map(median);
  return {
    medianMs: roundToMicroseconds(median(medians)),
    differenceMs: roundToMicroseconds(Math.max(...medians) - Math.min(...medians)),
    cpuMs: Math.min(...cpuMs),
    dearestCpuMs: Math.max(...cpuMs),
  };
}

async function measureResets(play: ResetRun, tries: number): Promise<MeasuredTimes> {
  const [{ url, pid }] = play.processes as [PlatformProcess];
  const person = await createPerson(play);
  const used = await createToken(play, person);
  const agent = new Agent();
  assert.equal(
    (await postTimed({ url, dispatcher: agent }, 'auth/reset-password', { token: used, new_password: PASSWORD }))
      .status,
    200,
  );
  await agent.destroy();
  const expired = await createToken(play, person, '-1 second');
  const tokens = [() => randomBytes(32).toString('base64url'), () => used, () => expired];
  const kinds = tokens.map((token) => () => ({ token: token(), new_password: PASSWORD }));
  return measureKinds({ url, pid }, 'auth/reset-password', kinds, tries);
}

async function measureLogIns(play: ResetRun, tries: number): Promise<MeasuredTimes> {
  const [{ url, pid }] = play.processes as [PlatformProcess];
  const [person, inactive] = [await createPerson(play), await createPerson(play)];
  await play.stage.store.sql(`update users set status = 'INACTIVE' where _id = $1`, [inactive._id]);
  const kinds = [
    () => ({ email: `${randomBytes(6).toString('hex')}@example.test`, password: 'a wrong password' }),
    () => ({ email: person.email, password: 'a wrong password' }),
    () => ({ email: inactive.email, password: PASSWORD }),
  ];
  return measureKinds({ url, pid }, 'auth/login', kinds, tries);
}

/** Measures requests for a new password. No worker runs here, so that the one mail to each address waits from the first request on. */
async function measureForgets(play: ResetRun, tries: number): Promise<MeasuredTimes> {
  const [{ url, pid }] = play.processes as [PlatformProcess];
  const { email } = await createPerson(play);
  const emails = [email, 'nobody@example.test', 'no address'];
  const kinds = emails.map((one) => () => ({ email: one }));
  return measureKinds({ url, pid }, 'auth/forgot-password', kinds, tries);
}

/** Measures invitations to unknown addresses, and to addresses of people who have a password in another company. */
async function measureInvitations({ stage, processes, key }: ResetRun, tries: number): Promise<MeasuredTimes> {
  const [{ url, pid }] = processes as [PlatformProcess];
  const { _id: elsewhere } = await stage.createTenant('Elsewhere');
  const known = Array.from({ length: 2 * tries + WARM_UP }, () => `${randomBytes(6).toString('hex')}@example.test`);
  // These people have a made-up password hash instead of a computed one, because nobody logs in with it.
  await stage.store.sql(
    `insert into people (email, password_hash) select email, 'unused' from unnest($1::text[]) email`,
    [known],
  );
  await stage.store.sql(
    `insert into users (company_id, _id, name, email, role, status, accepted_at)
      select $1, lpad(to_hex(number), 24, '0'), 'Olga', email, 'OPERATOR', 'ACTIVE', now()
      from unnest($2::text[]) with ordinality as given (email, number)`,
    [elsewhere, known],
  );
  const invite = (email: string) => ({ name: 'Olga', email, role: 'VIEWER' });
  const kinds = [() => invite(`${randomBytes(6).toString('hex')}@example.test`), () => invite(known.pop() as string)];
  return measureKinds({ url, pid, key }, 'users', kinds, tries);
}
