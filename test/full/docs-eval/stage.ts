/** A fresh platform with its sandbox, and the folder in which a coding agent works on one scenario. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatform, type Json, type Platform } from '../../support/platform.ts';
import { openModel, say, sendJson } from '../../support/model.ts';
import { findPort } from '../../support/ports.ts';
import { waitUntil } from '../../support/wait.ts';

export interface EvalStage {
  platform: Platform;
  /** The folder of the agent's work. */
  folder: string;
  /** A free port for a program that the agent writes. */
  port: number;
  /** Waits for a moment only: what has not happened by then counts as missing. */
  within<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T>;
  /** Starts a program that the agent has written, with `node`, and waits until it listens on the port. */
  startProgram(file: string): Promise<void>;
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;

export async function openEvalStage(patienceMs = PATIENCE_MS): Promise<EvalStage> {
  const model = await openModel(({ body }, response) => sendJson(response, answerByTool(body)));
  const env = { AI_BASE_URL: `${model.url}/v1`, AI_MODEL: 'scripted', AI_API_KEY: 'none' };
  const { platform, close } = await openPlatform({ env });
  const folder = await mkdtemp(join(tmpdir(), 'docs-eval-'));
  const port = await findPort();
  const programs: ChildProcess[] = [];
  const within: EvalStage['within'] = (what, look) => waitUntil(what, look, patienceMs);
  return {
    platform,
    folder,
    port,
    within,
    async startProgram(file) {
      const environment = {
        ...process.env,
        PORT: String(port),
        PARLEY_URL: platform.url,
        PARLEY_KEY: platform.demo.key,
      };
      const program = spawn(process.execPath, [file], { cwd: folder, env: environment, stdio: 'ignore' });
      programs.push(program);
      await within(`${file} to listen on the port ${port}`, async () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      );
    },
    async close() {
      for (const program of programs) program.kill();
      await close();
      model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The model of the stage looks the last word of the question up in the first table that it may read, and says what it has found. */
function answerByTool({ messages, tools = [] }: Json): Json {
  const { role, content } = (messages as Json[]).at(-1) ?? {};
  if (role === 'tool') return say(`I found: ${content}`);
  const tool = (tools as Json[]).find((each) => each['function'].name === 'read_table');
  const [, table] = /Tables: (\S+)/.exec(tool?.['function'].description) ?? [];
  const search = String(content)
    .match(/[\w-]+/g)
    ?.at(-1);
  return table ? say(null, [['read_table', { table, search }]]) : say('I do not know.');
}
