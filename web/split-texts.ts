/**
 * Gives each language a file of its own. A catalogue has its texts in all languages; this plugin takes them out of the catalogues that an
 * app's first load needs and writes a file per language, of which the page loads one. The catalogues of later parts stay as they are.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { transform, type Plugin } from 'esbuild';
import { LANGUAGES, type Language } from './browser/texts.ts';

interface Module {
  path: string;
  /** The module as esbuild prints it: a statement ends with the first bracket that is not indented. */
  code: string;
}

const PRINT = { loader: 'ts', charset: 'utf8', target: 'esnext' } as const;
const CATALOGUE = /\bdefineTexts\(([^\n]+|.+?\n\}?)\);$/gms;

/** The name of a language's file, before its hash. */
export const nameTexts = (language: Language): string => `texts-${language}`;

/** `loader` is the module that loads the texts of a language. The plugin replaces it. */
export async function splitTexts(loader: string, sources: readonly string[]): Promise<Plugin> {
  const modules = await readModules(sources.filter((path) => /texts\.ts$|\/texts\/[^/]+\.ts$/.test(path)));
  const emptied = emptyCatalogues(loader, modules);
  const languages = new Map(LANGUAGES.map((language) => [nameTexts(language), language]));
  return {
    name: 'split-texts',
    setup({ onResolve, onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = path === loader ? writeLoader() : emptied.get(path);
        return contents === undefined ? undefined : { contents, loader: 'js' };
      });
      onResolve({ filter: /^texts-/ }, ({ path }) => ({ path, namespace: 'texts' }));
      onLoad({ filter: /./, namespace: 'texts' }, async ({ path }) => {
        const [name = '', index] = path.split('#');
        const module = modules[Number(index)];
        return module
          ? {
              contents: await keepLanguage(module, languages.get(name)),
              resolveDir: dirname(module.path),
              loader: 'ts',
            }
          : { contents: writeLanguage(name, modules.length), resolveDir: dirname(loader), loader: 'js' };
      });
    },
  };
}

async function readModules(paths: readonly string[]): Promise<Module[]> {
  const modules = await Promise.all(
    paths.map(async (path) => {
      return { path, code: (await transform(await readFile(path, 'utf8'), PRINT)).code };
    }),
  );
  for (const { path, code } of modules)
    if (code.match(CATALOGUE)?.length !== code.match(/= defineTexts\(/g)?.length)
      throw new Error(`A catalogue of ${path} is not a statement of its own`);
  return modules.filter(({ code }) => code.match(CATALOGUE));
}

/** Returns the modules with empty catalogues, which the loader fills. */
function emptyCatalogues(loader: string, modules: readonly Module[]): Map<string, string> {
  let count = 0;
  return new Map(
    modules.map(({ path, code }) => [
      path,
      `import { place as $place } from ${JSON.stringify(loader)};\n${code.replace(CATALOGUE, () => `$place(${count++});`)}`,
    ]),
  );
}

/** Returns the module with the texts of one language and without unused code. */
async function keepLanguage({ code }: Module, language: Language | undefined): Promise<string> {
  const kept = code
    .replace(CATALOGUE, (_, all: string) =>
      language === 'en'
        ? `($texts[$texts.length] = ${all}, 0);`
        : `($texts[$texts.length] = (${all})[${JSON.stringify(language)}]);`,
    )
    .replaceAll(/^export (?=const |(?:async )?function )/gm, '');
  const options = { ...PRINT, minifySyntax: true, treeShaking: true, format: 'esm' } as const;
  return (await transform(`export const $texts = [];\n${kept}`, options)).code;
}

function writeLanguage(name: string, count: number): string {
  const parts = Array.from({ length: count }, (_, index) => index);
  return [
    ...parts.map((part) => `import { $texts as part${part} } from ${JSON.stringify(`${name}#${part}`)};`),
    `export default [${parts.map((part) => `...part${part}`).join()}];`,
  ].join('\n');
}

/** A catalogue of a part that is loaded later gets the texts of the languages that are there. */
const writeLoader = (): string => `
  const catalogues = [];
  const loaded = {};
  const files = {${LANGUAGES.map((each) => `${JSON.stringify(each)}: () => import(${JSON.stringify(nameTexts(each))})`).join()}};
  const fill = (index, language) => { catalogues[index][language] = loaded[language][index]; };
  export function place(index) {
    catalogues[index] = {};
    for (const language in loaded) fill(index, language);
    return catalogues[index];
  }
  export async function loadTexts(language) {
    loaded[language] = (await files[language]()).default;
    for (const index in catalogues) fill(index, language);
  }`;
