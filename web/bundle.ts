/**
 * Bundles an app for browsers: writes its page, scripts and style sheet, whose names have a hash, into a new folder, which appears whole or
 * not at all. src/platform/http/web-builds.ts runs the build.ts of each app, and chooses the folder.
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { LANGUAGES } from './browser/texts.ts';
import { nameTexts, splitTexts } from './split-texts.ts';

const ROOT = join(import.meta.dirname, '..');

export interface App {
  name: string;
  /** The folder with page.html and main.tsx. */
  source: string;
  /** The parts in the order in which users open them. What only later ones share is not loaded with a part. Others come last. */
  stages: readonly (readonly string[])[];
  /** The module that loads the texts of the first load in a language (split-texts.ts). Absent when the app has its texts in one file. */
  texts?: string;
  /** Writes what the app has besides its page. */
  addFiles(folder: string): Promise<unknown>;
}

/** What the bundles of all apps have in common. */
export const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  target: ['es2023', 'chrome120', 'firefox121', 'safari17.4'],
  minify: true,
  legalComments: 'none',
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Builds the app into the folder that the command line names. */
export async function buildApp(app: App): Promise<void> {
  const [, , target] = process.argv;
  if (target === undefined) throw new Error(`usage: node web/${app.name}/build.ts <folder>`);
  const side = `${target}.${process.pid}`;
  await mkdir(side, { recursive: true });
  try {
    await writePage(app, side, await bundle(app, side));
    await app.addFiles(side);
    await rename(side, target);
  } finally {
    await rm(side, { recursive: true, force: true });
  }
}

/**
 * The program's first module. It imports all style sheets, because a browser would not load those of a part of the app together with the
 * script of that part.
 */
function writeEntry(source: string): string {
  const styles = globSync('**/*.css', { cwd: source, exclude: ['dist/**'] }).toSorted();
  // The rules for all elements come first, so that those of a part of the page win.
  const inOrder = styles.toSorted((a, b) => Number(a !== 'page.css') - Number(b !== 'page.css'));
  return [...inOrder, 'main.tsx'].map((path) => `import ${JSON.stringify(`./${path}`)};\n`).join('');
}

async function bundle(app: App, folder: string): Promise<Metafile> {
  const parts = await build({ ...describeBundle(app, folder), write: false });
  const stages = listStages(app, parts.metafile);
  const plugins = [joinShared(parts.metafile, stages)];
  const first = [...(stages[0] ?? [])].map((path) => join(ROOT, path));
  if (app.texts !== undefined) plugins.push(await splitTexts(join(app.source, app.texts), first));
  const { metafile } = await build({ ...describeBundle(app, folder), plugins });
  // The style sheet of the whole app has those of all parts.
  const { program } = findProgram(app, metafile);
  const styles = Object.keys(metafile.outputs).filter((path) => path.endsWith('.css') && path !== program.cssBundle);
  await Promise.all(styles.map((path) => rm(join(ROOT, path))));
  return metafile;
}

const describeBundle = ({ name, source }: App, folder: string) =>
  ({
    ...BUNDLE,
    stdin: { contents: writeEntry(source), resolveDir: source, sourcefile: `${name}.ts`, loader: 'ts' },
    outdir: folder,
    splitting: true,
    format: 'esm',
    entryNames: `${name}-[hash]`,
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    alias: { '@parley/sdk': join(ROOT, 'sdk/src/index.ts') },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
  }) satisfies BuildOptions;

/** Lists for each stage the modules that its parts import and earlier stages do not. The first stage has the program, too. */
function listStages({ source, stages }: App, { inputs }: Metafile): Set<string>[] {
  const found = new Map(Object.entries(inputs));
  const known = new Set<string>();
  return [['main.tsx', ...(stages[0] ?? [])], ...stages.slice(1)].map((parts) => {
    const stage = new Set(parts.map((part) => relative(ROOT, join(source, part))));
    for (const path of stage)
      for (const { path: next, kind } of found.get(path)?.imports ?? [])
        if (kind !== 'dynamic-import' && !known.has(next)) stage.add(next);
    for (const path of stage) known.add(path);
    return stage;
  });
}

/**
 * Puts what more than one part of the app needs into one file for each stage, and one for the rest. By itself, esbuild writes a file for each
 * set of parts that have something in common, a hundred small ones; what all parts import is one set.
 */
function joinShared({ outputs }: Metafile, stages: readonly ReadonlySet<string>[]): Plugin {
  const files = Object.values(outputs);
  const toPath = (path: string): string => join(ROOT, path);
  const lazy = new Set(files.flatMap(({ entryPoint = [] }) => entryPoint).map(toPath));
  const shared = files.filter(({ entryPoint }) => entryPoint === undefined).flatMap((file) => Object.keys(file.inputs));
  // All style sheets are loaded first, because the program imports them.
  const findStage = (path: string): number => {
    const found = path.endsWith('.css') ? 0 : stages.findIndex((stage) => stage.has(path));
    return found === -1 ? stages.length : found;
  };
  const names = Array.from({ length: stages.length + 1 }, (_, index) => `shared:${index}`);
  const groups = new Map(names.map((name, index) => [name, shared.filter((path) => findStage(path) === index)]));
  const listGroups = (path: string): string[] => names.slice(0, findStage(relative(ROOT, path)) + 1);
  return {
    name: 'join-shared',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^shared:/ }, ({ path }) => ({ path, namespace: 'shared' }));
      // Otherwise an import for nothing but its effects is dropped where a package says that it has none.
      onResolve({ filter: /./, namespace: 'shared' }, ({ path }) => ({ path, sideEffects: true }));
      onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({
        contents: (groups.get(path) ?? []).map((each) => `import ${JSON.stringify(toPath(each))};\n`).join(''),
        resolveDir: ROOT,
        loader: 'ts',
      }));
      onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
        const imports = lazy.has(path) ? listGroups(path).map((group) => `import '${group}';\n`) : [];
        return { contents: imports.join('') + importParts(await readFile(path, 'utf8')), loader: 'tsx' };
      });
    },
  };
}

const NAMESPACE = /import \{ (\w+)(?: as (\w+))? \} from '(@base-ui\/react\/(?!csp-provider)[\w-]+)'/g;

/** A namespace that a package exports is bundled with all its members; one that a module imports itself only with those that it uses. */
const importParts = (source: string): string =>
  source.replace(NAMESPACE, (_, name: string, alias: string | undefined, path: string) => {
    const parts = fileURLToPath(new URL('index.parts.mjs', import.meta.resolve(path)));
    return `import * as ${alias ?? name} from ${JSON.stringify(parts)}`;
  });

function findProgram({ name }: App, { outputs }: Metafile) {
  const [path, program] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`${name}.ts`)) ?? [];
  if (path === undefined || !program?.cssBundle) throw new Error('The build has no program or no style sheet');
  return { path, program: { ...program, cssBundle: program.cssBundle } };
}

/** Adds what the page loads at once: the program, the parts of it that it imports, and the style sheet. */
async function writePage(app: App, folder: string, metafile: Metafile): Promise<void> {
  const nameOf = (path: string): string => relative(folder, join(ROOT, path));
  const { path, program } = findProgram(app, metafile);
  const imported = program.imports.filter(({ kind }) => kind === 'import-statement');
  const head = [
    `<link rel="stylesheet" href="${nameOf(program.cssBundle)}" />`,
    ...imported.map((part) => `<link rel="modulepreload" href="${nameOf(part.path)}" />`),
    `<script type="module" src="${nameOf(path)}"></script>`,
  ];
  const page = await readFile(join(app.source, 'page.html'), 'utf8');
  // The page asks for the texts in one language as soon as it knows which.
  const texts = LANGUAGES.flatMap((language) =>
    Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint?.endsWith(`:${nameTexts(language)}`))
      .map(([file]) => `<link data-texts="${language}" href="${nameOf(file)}" />`),
  );
  const written = page.replace('<head>', `<head>${texts.join('')}`).replace('</head>', `${head.join('')}</head>`);
  await writeFile(join(folder, 'page.html'), written);
}
