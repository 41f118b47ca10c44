/**
 * Runs test files one after the other in this process, so that they load the code once, which takes longer than the tests of most files.
 * Each file is a group of tests, and all that it has started is closed before the next one begins.
 */
import { relative } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { noteCost } from './cost.ts';
import { restartDeadline } from './deadline.ts';
import { beginSharing, endSharing, giveBack } from './lending.ts';

export async function runTogether(paths: string[]): Promise<void> {
  beginSharing();
  for (const path of paths) {
    restartDeadline();
    await suite(relative('.', path), async () => void (await import(pathToFileURL(path).href)));
    giveBack();
    noteCost(path);
  }
  await endSharing();
}
