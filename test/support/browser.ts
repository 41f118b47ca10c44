/** Starts a real browser for the pages of the platform: the one of PARLEY_CHROMIUM, the one from npm, or the one of Playwright. */
import { access, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import packed from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { borrow } from './lending.ts';

export interface OpenPage {
  page: Page;
  /**
   * Everything that a page of the platform must not cause: errors and warnings on the console, exceptions, violations of the content
   * security policy.
   */
  complaints: string[];
  /** Every address that the page requested, without its fragment. */
  requests: string[];
}

/** After so long, and each time it has passed again, an open page says what it shows: what a test waits for may never come. */
const SAID_MS = 300_000;
const MOST_SAID = 2_000;

interface BrowserOptions {
  /** True: each page gets a microphone that hears tones; otherwise there is none. */
  hasMicrophone?: boolean;
}

const MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Starts a browser and closes it after the file's last test, or after that of the last file which shares it. */
export async function startBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const shared = await borrow('browser', options, { open: launchBrowser, renew: closePages, close: closeBrowser });
  if (shared) return shared;
  const browser = await launchBrowser(options);
  after(() => browser.close());
  return browser;
}

async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}

const closeBrowser = (browser: Browser): Promise<void> => browser.close();

/** Starts a browser that the caller closes; programs that are not tests use it, too. */
export async function launchBrowser({ hasMicrophone = false }: BrowserOptions = {}): Promise<Browser> {
  const path = await findBrowser();
  return chromium.launch({
    ...(path ? { executablePath: path } : {}),
    headless: true,
    // As root, Chromium starts only without its sandbox; it opens nothing but pages of the platform.
    chromiumSandbox: false,
    args: ['--font-render-hinting=none', ...(hasMicrophone ? MICROPHONE : [])],
  });
}

/** Opens an empty page with its own browser profile, and records complaints and requests. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  // A busy machine needs many times what an idle one does, so an element that has not appeared after this time never will.
  context.setDefaultTimeout(600_000);
  const page = await context.newPage();
  const watch = setInterval(() => void sayWhatItShows(page), SAID_MS).unref();
  page.once('close', () => clearInterval(watch));
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    // On an overloaded machine the platform answers 503, and the page asks again.
    if (/status of 503/.test(message.text())) return;
    if (['error', 'warning', 'assert'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => {
    const cause = request.failure()?.errorText;
    // The browser gives up what a page still loads when somebody leaves it, and a page gives up what it no longer needs.
    if (cause !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${cause}`);
  });
  context.on('request', (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

async function sayWhatItShows(page: Page): Promise<void> {
  const body = page.locator('body');
  const focused = page.locator(':focus');
  // Failure policy: a page that cannot be read, or is being closed, says only that.
  const shown = await body.innerText({ timeout: SAID_MS }).catch(String);
  const focus = await focused.evaluate((element) => element.outerHTML, null, { timeout: 1_000 }).catch(() => 'nothing');
  const seconds = SAID_MS / 1_000;
  process.stderr.write(
    `${page.url()} is still open after ${seconds} s, with the focus on ${focus.slice(0, 200)}:\n${shown.slice(0, MOST_SAID)}\n`,
  );
}

/** Returns the path of the browser; null lets Playwright look for its own. */
async function findBrowser(): Promise<string | null> {
  const given = process.env['PARLEY_CHROMIUM'];
  if (given) return given;
  // The package from npm is built for Linux on x64.
  return process.platform === 'linux' && process.arch === 'x64' ? unpackChromium() : null;
}

/**
 * Unpacks the Chromium inside the npm package once per version, and returns its path. The package itself unpacks
 * to a fixed path without a lock, so test files that start at the same moment would run an incomplete browser.
 */
async function unpackChromium(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(about, 'utf8')) as { version: string };
  const folder = join(tmpdir(), `parley-chromium-${version}`);
  // Failure policy: a folder that cannot be read counts as missing, and the browser is unpacked.
  const exists = () =>
    access(join(folder, 'chromium')).then(
      () => true,
      () => false,
    );
  if (!(await exists())) {
    const side = await mkdtemp(`${folder}.`);
    const usual = process.env['TMPDIR'];
    process.env['TMPDIR'] = side;
    try {
      await packed.executablePath();
      await rename(side, folder);
    } catch (error) {
      // Failure policy: another test file may have unpacked it first; any other error fails the test run.
      if (!(await exists())) throw error;
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
      await rm(side, { recursive: true, force: true });
    }
  }
  return join(folder, 'chromium');
}
