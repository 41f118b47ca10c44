/**
 * What `npm start` runs: node src/launch.js all | api | worker | migrate | keys | recount. It is JavaScript, because Node caches compiled code only of
 * files that are loaded after enableCompileCache(), and strips the types of a file that it does not find there, for which it loads 10 MB of
 * code. It also tells an older Node what is wrong, which cannot load the other files.
 */
// Not imported by its name, because an older Node has no such function and would fail with a syntax error.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST = 26;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `parley: this is Node ${process.versions.node}; run it through npm (npm start), which brings Node ${OLDEST} along\n`,
  );
  process.exitCode = 1;
} else {
  // Stripping types and compiling would be a third of the start-up time. When the folder is not writable, the start is only slower.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
  await import('./main.ts');
}
