/** The results of a run of the long proofs, stored in a file so that an interrupted run continues where it stopped. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Result {
  seed: number;
  seconds: number;
  figures?: object;
  failure?: string;
}

export interface State {
  /** The commit whose code was tested. */
  commit: string;
  seed: number;
  results: Record<string, Result>;
}

/** Reads the results for this commit. Results of another commit are ignored, so the run begins anew. */
export async function readState(path: string, commit: string): Promise<State> {
  const fresh: State = { commit, seed: 0, results: {} };
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as State;
    return state.commit === commit ? state : fresh;
  } catch {
    // Failure policy: without a complete file the run begins anew.
    return fresh;
  }
}

export async function writeState(path: string, state: State): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(state, null, 2));
  await rename(`${path}.new`, path);
}
