/** Builds the console: `node web/console/build.ts <folder>`. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApp } from '../bundle.ts';

const source = import.meta.dirname;
await buildApp({
  name: 'console',
  source,
  addFiles: (folder) => copyFile(join(source, 'icon.svg'), join(folder, 'icon.svg')),
});
