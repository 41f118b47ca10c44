/** The package as users get it: compiled, installed in a project of theirs, on each Node and in a browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { openPage, startBrowser } from '../support/browser.ts';
import { findNode } from '../support/older-node.ts';
import { startPlatform, type Json } from '../support/platform.ts';

const MAX_BYTES = 15_000;
const EXAMPLES = /^```ts\n([\s\S]*?)^```$/gm;

const platform = await startPlatform();
const browser = await startBrowser();
const project = mkdtempSync(join(tmpdir(), 'parley-sdk-'));
after(() => rmSync(project, { recursive: true }));
const installed = join(project, 'node_modules/@parley/sdk');
const run = promisify(execFile);
const COMPILER = join(process.cwd(), 'node_modules/typescript/bin/tsc');
const compile = (...options: string[]) =>
  run(process.execPath, [COMPILER, ...options]).catch((error: unknown) =>
    assert.fail((error as { stdout: string }).stdout),
  );

mkdirSync(installed, { recursive: true });
await compile('-p', 'sdk', '--outDir', join(installed, 'dist'));
cpSync('sdk/package.json', join(installed, 'package.json'));
symlinkSync(join(process.cwd(), 'node_modules/@types'), join(project, 'node_modules/@types'));
writeFileSync(join(project, 'package.json'), '{ "type": "module" }');

const options = {
  module: 'nodenext',
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
  outDir: 'compiled',
  rootDir: '.',
};
writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));

/** The examples of a document are one program together, so that a later one may use what an earlier one made. */
for (const [name, path] of [
  ['guide', 'docs/sdk.md'],
  ['readme', 'sdk/README.md'],
  ['tour', 'docs/tour.md'],
] as const) {
  const examples = [...readFileSync(path, 'utf8').matchAll(EXAMPLES)].map(([, code = '']) => code);
  assert.ok(examples.length > 0, path);
  writeFileSync(join(project, `${name}.ts`), examples.join('\n'));
}

const compiled = compile('-p', project);

test('the examples of the guide, of its README and of the tour compile in a project that has installed the package', async () => {
  await compiled;
  await compile('-p', project, '--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit');
});

for (const [version, node] of [
  ['26', process.execPath],
  ['20', findNode(/^v20\./)],
] as const) {
  const skip = node === null && `this machine has no Node ${version}`;
  test(`the examples of the guide, of its README and of the tour run on Node ${version}`, { skip }, async () => {
    await compiled;
    // The network refuses a text to somebody who has not written within 24 hours.
    await platform.receive({ from: '5511988887777', name: 'Maria Silva', text: 'Oi' });
    const env = { ...process.env, PARLEY_URL: platform.url, PARLEY_KEY: platform.demo.key, NODE_OPTIONS: '' };
    const outputs = [];
    for (const name of ['guide', 'readme', 'tour'])
      outputs.push(await run(node ?? '', [join(project, `compiled/${name}.js`)], { env }));
    const [guide, readme, tour] = outputs;
    assert.match(guide?.stdout ?? '', /^(SENT|DELIVERED|READ) \[\]\n/);
    assert.match(guide?.stdout ?? '', /is there already: [0-9a-f]{24}/);
    assert.match(readme?.stdout ?? '', /^(SENT|DELIVERED|READ)\n/);
    assert.match(tour?.stdout ?? '', /^Maria Silva\n/);
  });
}

test('a page of the platform logs in and calls the API with the cookie of its session, without a token', async () => {
  const { user }: Json = JSON.parse(readFileSync(join(platform.dataDir, 'credentials.json'), 'utf8'));
  const { page, complaints } = await openPage(browser);
  await page.route(`${platform.url}/sdk/**`, (route) =>
    route.fulfill({ path: join(installed, 'dist', route.request().url().slice(`${platform.url}/sdk/`.length)) }),
  );
  await page.goto(`${platform.url}/docs`);
  const program = `(async () => {
    const { createClient, isParleyError } = await import('/sdk/index.js');
    const parley = createClient({ url: location.origin });
    const before = await parley.auth.me().catch((error) => isParleyError(error) && error.code);
    await parley.auth.openSession(${JSON.stringify(user)});
    const { user } = await parley.auth.me();
    const made = await parley.businesses.create({ name: 'From a page' });
    const names = [];
    for await (const { name } of parley.businesses.list.all({ search: made.name })) names.push(name);
    return { before, email: user.email, names };
  })()`;
  const expected = { before: 'UNAUTHORIZED', email: user.email as string, names: ['From a page'] };
  assert.deepEqual(await page.evaluate(program), expected);
  assert.deepEqual(
    complaints.filter((complaint) => !/401/.test(complaint)),
    [],
  );
});

test('a page of another site calls the API with a token', async () => {
  const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>Ours</p>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  after(() => site.close());
  const { port } = site.address() as { port: number };
  const { page, complaints } = await openPage(browser);
  await page.route('**/sdk/**', (route) =>
    route.fulfill({ path: join(installed, 'dist', new URL(route.request().url()).pathname.slice('/sdk/'.length)) }),
  );
  await page.goto(`http://127.0.0.1:${port}/`);
  const { token } = await platform.createKey(platform.demo._id, ['businesses:*']);
  const program = `(async () => {
    const { createClient } = await import('/sdk/index.js');
    const parley = createClient({ url: ${JSON.stringify(platform.url)}, token: ${JSON.stringify(token)} });
    return (await parley.businesses.create({ name: 'From elsewhere' })).name;
  })()`;
  assert.equal(await page.evaluate(program), 'From elsewhere');
  assert.deepEqual(complaints, []);
});

test('all files of the package together are at most 15 kB gzipped, and need nothing but each other', () => {
  const files = globSync('**/*.js', { cwd: join(installed, 'dist') });
  const texts = files.map((file) => readFileSync(join(installed, 'dist', file), 'utf8'));
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  console.log(`${files.length} files, ${bytes} bytes gzipped`);
  assert.ok(files.length > 5 && bytes <= MAX_BYTES, String(bytes));
  const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name));
  assert.deepEqual(
    imported.filter((name) => !/^\.\.?\/[\w/-]+\.js$/.test(name)),
    [],
  );
  const manifest = JSON.parse(readFileSync('sdk/package.json', 'utf8')) as Json;
  assert.deepEqual(
    Object.keys(manifest).filter((key) => /dependencies/i.test(key)),
    [],
  );
});
