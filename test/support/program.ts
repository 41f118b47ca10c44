/** The Node flags of `npm start`, so that tests and benchmarks run the program as an operator does. */
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

export const NODE_FLAGS = (scripts['start'] ?? '').split(' ').filter((word) => word.startsWith('--'));
