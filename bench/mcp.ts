/** Benchmark (mcp): a tool that calls one operation, compared with the operation. */
import { Pool } from 'undici';
import { compareRates, type Figure } from './measure.ts';
import { spawnProgram, type BenchStage } from './stage.ts';

const GOAL_MS = 2;
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_inboxes', arguments: { limit: 20 } },
});

export async function benchMcp(stage: BenchStage): Promise<Figure[]> {
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const pool = new Pool(api.url, { connections: 1, pipelining: 1 });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const ask = async (method: 'GET' | 'POST', path: string, body: string | null): Promise<void> => {
    const answer = await pool.request({ method, path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.includes('"name"')) throw new Error(`${path} answered ${text}`);
  };
  const rates = await compareRates(
    [
      { name: 'operation', work: () => ask('GET', '/v1/inboxes?limit=20&skipCount=true', null) },
      { name: 'tool', work: () => ask('POST', '/mcp', CALL) },
    ],
    { width: 1, durationMs: 2_000, times: 5 },
  );
  await pool.close();
  await api.stop();
  const [tool = NaN, operation = NaN] = ['tool', 'operation'].map((name) => 1_000 / (rates.get(name) ?? NaN));
  return [
    {
      name: '(mcp) a tool that calls one operation, beyond the operation',
      value: `${(tool - operation).toFixed(2)} ms (${tool.toFixed(2)} against ${operation.toFixed(2)})`,
      goal: `<= ${GOAL_MS} ms`,
      met: tool - operation <= GOAL_MS,
    },
  ];
}
