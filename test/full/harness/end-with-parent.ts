/** Loaded into every process that the harness starts: it ends with its parent, however that one ends. */
process.stdin.on('end', () => process.exit(137)).resume();
(process.stdin as Partial<import('node:net').Socket>).unref?.();
