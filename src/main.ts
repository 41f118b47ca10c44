/** The program, which launch.js loads: all | api | worker | migrate | keys | recount. No other file reads the environment. */

async function main(): Promise<void> {
  const purpose = process.argv[2] ?? 'all';
  if (purpose === 'keys') return manageKeys(process.argv.slice(3));
  if (purpose === 'recount') return recount(process.argv.slice(3));
  if (purpose !== 'all' && purpose !== 'api' && purpose !== 'worker' && purpose !== 'migrate') {
    throw new Error(`usage: node src/launch.js all | api | worker | migrate | keys | recount (not ${purpose})`);
  }
  const { loadConfig } = await import('./config.ts');
  const config = loadConfig(process.env);
  if (purpose === 'migrate') return (await import('./boot/run.ts')).runMigrations(config);
  // Listen for signals before anything starts, so that a signal during the start also leads to an orderly stop.
  const asked = nextSignal();
  const { startDatabaseAndSandbox } = await import('./boot/early-start.ts');
  // Start the database first and load the code that uses it meanwhile: both take about as long.
  const early = startDatabaseAndSandbox(config, purpose);
  // Failure policy: run() awaits the same promise and throws its error; without this handler Node would report an unhandled rejection.
  early.catch(() => undefined);
  const { run } = await import('./boot/run.ts').catch(async (error: unknown) => {
    // The code that would stop the database and the sandbox could not be loaded, so they are stopped here; they would keep this process
    // alive.
    await early.then(({ stop }) => stop()).catch(() => undefined);
    throw error;
  });
  await run(config, purpose, { early, asked });
}

/**
 * The signal listeners are never removed: without one, a second signal during the start would kill the process, and its database server
 * would go on running alone.
 */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(name));
  });
}

async function manageKeys(words: string[]): Promise<void> {
  const { loadConfig } = await import('./config.ts');
  const { runKeys } = await import('./boot/keys.ts');
  process.stdout.write(await runKeys(loadConfig(process.env), words));
}

async function recount(words: string[]): Promise<void> {
  const { loadConfig } = await import('./config.ts');
  const { runRecount } = await import('./boot/recount.ts');
  process.stdout.write(await runRecount(loadConfig(process.env), words));
}

main().catch((error: unknown) => {
  process.stderr.write(`parley: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
