/** Finds another Node of this machine, beside the one that npm installed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a Node whose version (`v20.11.0`) matches; null when the machine has none. */
export function findNode(version: RegExp): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const programs = folders.map((folder) => join(folder, 'node')).filter((path) => existsSync(path));
  return programs.find((path) => version.test(execFileSync(path, ['--version'], { encoding: 'utf8' }))) ?? null;
}
