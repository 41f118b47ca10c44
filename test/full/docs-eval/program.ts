/** Runs programs in the folder of a coding agent. */
import { execFile } from 'node:child_process';

/** Runs a program with `node` to its end. Throws with what it has printed when it fails. */
export const run = (folder: string, file: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<string> =>
  new Promise((ended, failed) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) =>
      error ? failed(new Error(`${file} failed: ${stderr || stdout}`)) : ended(stdout),
    );
  });
