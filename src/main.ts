/** The process: node src/main.ts all | api | worker | migrate. The only reader of the environment. */
const OLDEST = 26;

async function main(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST) {
    throw new Error(
      `this is Node ${process.versions.node}; run it through npm (npm start), which brings Node ${OLDEST} along`,
    );
  }
  const purpose = process.argv[2] ?? 'all';
  if (purpose !== 'all' && purpose !== 'api' && purpose !== 'worker' && purpose !== 'migrate') {
    throw new Error(`usage: node src/main.ts all | api | worker | migrate (not ${purpose})`);
  }
  // Only now: an older Node can not even load what follows.
  const { loadConfig } = await import('./config.ts');
  const { run } = await import('./boot/run.ts');
  await run(loadConfig(process.env), purpose);
}

main().catch((error: unknown) => {
  process.stderr.write(`parley: ${(error as Error).message}\n`);
  process.exitCode = 1;
});
