/** Benchmark (e): the cost of authentication, scopes and rate limits for a read, compared with the same API without these checks. */
import { compareRates, makeRatioFigure, type Figure } from './measure.ts';
import { openReader, seedMessage, WIDTH } from './read-message.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const PEER = 'bench/peers/door.ts';
// Rounds are short, because in rounds of three seconds other work on the machine would hide a difference of a few per cent.
const SHORT_ROUNDS = { durationMs: 500, times: 40 };

export async function benchAccessControl(stage: BenchStage): Promise<Figure[]> {
  const id = await seedMessage(stage);
  const kept = await spawnProgram(PEER, [], stage.env);
  const open = await spawnProgram(PEER, [], { ...stage.env, OPEN_TO: stage.key });
  const headers = { authorization: `Bearer ${stage.key}` };
  const rates = await compareRates(
    [
      { name: 'kept', work: openReader(kept.url, id, headers) },
      { name: 'open', work: openReader(open.url, id, headers) },
    ],
    { width: WIDTH, ...SHORT_ROUNDS },
  );
  await kept.stop();
  await open.stop();
  return [
    makeRatioFigure('(e) with its door kept / with it open', rates.get('kept') ?? 0, rates.get('open') ?? 0, 0.9),
  ];
}
