/** Builds the web chat: `node web/widget/build.ts <folder>` writes the page of the chat, and the script that sites load. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE, buildApp } from '../bundle.ts';

const source = import.meta.dirname;
await buildApp({
  name: 'widget',
  source,
  stages: [],
  // Sites name this file in their pages, so its name has no hash. It is one classic script, because a module cannot find its own element.
  addFiles: (folder) =>
    build({
      ...BUNDLE,
      entryPoints: [join(source, 'loader/loader.ts')],
      outfile: join(folder, 'widget.js'),
      format: 'iife',
    }),
});
