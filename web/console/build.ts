/** Builds the console: `node web/console/build.ts <folder>`. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE, buildApp } from '../bundle.ts';

const source = import.meta.dirname;
// A classic script runs before the modules of the page are asked for.
const addFirstLoad = (folder: string): Promise<unknown> =>
  build({
    ...BUNDLE,
    entryPoints: [join(source, 'first-load.ts')],
    outfile: join(folder, 'first-load.js'),
    format: 'iife',
  });

await buildApp({
  name: 'console',
  source,
  first: 'screens/inbox/inbox.tsx',
  addFiles: (folder) =>
    Promise.all([copyFile(join(source, 'icon.svg'), join(folder, 'icon.svg')), addFirstLoad(folder)]),
});
