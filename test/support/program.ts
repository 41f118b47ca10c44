/** The flags with which `npm start` runs the program, so that what is measured and tested is what an operator gets. */
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

export const NODE_FLAGS = (scripts['start'] ?? '').split(' ').filter((word) => word.startsWith('--'));
