/** Builds the console: `node web/console/build.ts <folder>`. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import sharp from 'sharp';
import { BUNDLE, buildApp } from '../bundle.ts';

const source = import.meta.dirname;
/** Adds a classic script, whose name stays. */
const addScript = (folder: string, name: string): Promise<unknown> =>
  build({
    ...BUNDLE,
    entryPoints: [join(source, `${name}.ts`)],
    outfile: join(folder, `${name}.js`),
    format: 'iife',
  });

const copy = (folder: string, name: string): Promise<unknown> => copyFile(join(source, name), join(folder, name));

const GROUND = '#ffffff';
/** Draws the icon of the installed app. Systems cut a maskable icon to a shape of their own, so the mark is in its middle. */
async function drawIcon(folder: string, name: string, { size, share }: { size: number; share: number }) {
  const mark = Math.round(size * share);
  const rest = size - mark;
  const start = Math.floor(rest / 2);
  const icon = sharp(join(source, 'icon.svg'), { density: 72 * 16 }).resize(mark, mark);
  const around = { top: start, left: start, bottom: rest - start, right: rest - start };
  const drawn = rest === 0 ? icon : icon.extend({ ...around, background: '#00000000' }).flatten({ background: GROUND });
  await drawn.png().toFile(join(folder, name));
}

await buildApp({
  name: 'console',
  source,
  stages: [
    ['screens/inbox/inbox.tsx'],
    ['session/log-in.tsx', 'notifications/bell-content.tsx', 'screens/inbox/first-run/first-run.tsx'],
    ['screens/inbox/thread/thread.tsx', 'screens/inbox/message-hits.tsx', 'screens/inbox/bulk/selection-bar.tsx'],
    ['ui/dragging.ts'],
  ],
  texts: 'texts/load-texts.ts',
  addFiles: (folder) =>
    Promise.all([
      copy(folder, 'icon.svg'),
      copy(folder, 'manifest.webmanifest'),
      drawIcon(folder, 'icon-192.png', { size: 192, share: 1 }),
      drawIcon(folder, 'icon-512.png', { size: 512, share: 1 }),
      drawIcon(folder, 'icon-maskable.png', { size: 512, share: 0.6 }),
      // It runs before the modules of the page are asked for.
      addScript(folder, 'first-load'),
      addScript(folder, 'service-worker'),
    ]),
});
