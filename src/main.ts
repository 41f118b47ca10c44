/** The process: node src/main.ts all | api | worker | migrate | keys. The only reader of the environment. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST = 26;
// Stripping types and compiling is a third of a later start. A folder that can not be written costs only that.
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));

async function main(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST) {
    throw new Error(
      `this is Node ${process.versions.node}; run it through npm (npm start), which brings Node ${OLDEST} along`,
    );
  }
  const purpose = process.argv[2] ?? 'all';
  if (purpose === 'keys') return manageKeys(process.argv.slice(3));
  if (purpose !== 'all' && purpose !== 'api' && purpose !== 'worker' && purpose !== 'migrate') {
    throw new Error(`usage: node src/main.ts all | api | worker | migrate | keys (not ${purpose})`);
  }
  enableCompileCache(COMPILED);
  // Only now: an older Node can not even load what follows.
  const { loadConfig } = await import('./config.ts');
  const config = loadConfig(process.env);
  if (purpose === 'migrate') return (await import('./boot/run.ts')).runMigrations(config);
  // A signal that comes during the start also ends everything in order.
  const asked = nextSignal();
  const { openSurroundings } = await import('./boot/surroundings.ts');
  // The database starts while the code is loaded that uses it.
  const surroundings = openSurroundings(config, purpose);
  // Failure policy: run() waits for it, and throws what went wrong.
  surroundings.catch(() => undefined);
  const { run } = await import('./boot/run.ts').catch(async (error: unknown) => {
    // The database and the sandbox would keep this process alive, and the code that stops them was not loaded.
    await surroundings.then(({ stop }) => stop()).catch(() => undefined);
    throw error;
  });
  await run(config, purpose, { surroundings, asked });
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
}

async function manageKeys(words: string[]): Promise<void> {
  const { loadConfig } = await import('./config.ts');
  const { runKeys } = await import('./boot/keys.ts');
  process.stdout.write(await runKeys(loadConfig(process.env), words));
}

main().catch((error: unknown) => {
  process.stderr.write(`parley: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
