/** Opens the console in a real browser, as somebody who has just logged in. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { UserRole } from '../../src/platform/values/scopes.ts';
import { shipWebApps } from '../../src/platform/http/web-builds.ts';
import { openPage, type OpenPage } from './browser.ts';
import { createPerson, PASSWORD } from './people.ts';
import type { Platform } from './platform.ts';

/** The accessibility checker of axe-core as a script for a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// A platform looks for the build when it starts, so a test file that imports this one has it before.
await shipWebApps();

export interface OpenConsole {
  page: Page;
  /** What the page has complained about, except that nobody was logged in at first. */
  complaints(): string[];
  /** The path and query of each request to the API, with its method. */
  calls(): string[];
  close(): Promise<void>;
}

export interface ConsoleOptions extends BrowserContextOptions {
  language?: 'en' | 'pt-BR' | 'es';
  theme?: 'light' | 'dark';
  /** For how many seconds what is sent can be taken back: 0, which sends at once, when absent; null leaves the choice to the page. */
  undoSeconds?: 0 | 5 | 10 | 20 | null;
  /** The address below /console at which the page is opened. */
  path?: string;
}

/** Creates a person of the demo company, and logs in. */
export async function openConsole(
  platform: Platform,
  browser: Browser,
  { role = 'OWNER', ...options }: ConsoleOptions & { role?: UserRole } = {},
): Promise<OpenConsole> {
  const { email } = await createPerson(platform, platform.demo._id, role);
  return openConsoleAt({ url: platform.url, email }, browser, options);
}

/** Logs in at a platform, as somebody who has the PASSWORD of all tests. */
export async function openConsoleAt(
  { url, email }: { url: string; email: string },
  browser: Browser,
  { language = 'en', theme = 'light', undoSeconds = 0, path = '', ...options }: ConsoleOptions = {},
): Promise<OpenConsole> {
  const { page, complaints, requests } = await openPage(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const chosen = {
    'parley.language': language,
    'parley.theme': theme,
    ...(undoSeconds !== null && { 'parley.undo-send': String(undoSeconds) }),
  };
  await page.context().addInitScript(`Object.assign(localStorage, ${JSON.stringify(chosen)})`);
  await page.goto(`${url}/console${path}`);
  await fillLogIn(page, email);
  return {
    page,
    complaints: () => complaints.filter((text) => !/status of 401/.test(text)),
    calls: () => requests.filter((address) => address.includes('/v1/')).map((address) => address.slice(url.length)),
    close: () => page.context().close(),
  };
}

/** Logs in on a page that shows the log-in form. */
export async function fillLogIn(page: Page, email: string): Promise<void> {
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.locator('nav a').first().waitFor();
}

/** The open dialog of a page. A notice, which may still be there, has the same role. */
export const findDialog = (page: Page): Locator => page.locator('[role=dialog]:not([data-notice])');

/** Waits until a dialog is open and has taken the focus, which it does a moment after it is visible. */
export const waitForDialog = (page: Page): Promise<void> =>
  page.locator('[role=dialog]:not([data-notice]):focus-within').waitFor();

/** Waits until a part of the page shows a message that the network has taken, and may have delivered since. */
export const waitForSent = (part: Locator): Promise<void> =>
  part.getByRole('img', { name: /^(Sent|Delivered|Read)$/ }).waitFor();

interface HeldAnswers {
  /** Waits until the platform has answered one of the requests. */
  answered(): Promise<unknown>;
  release(): Promise<unknown>;
}

/** Keeps answers to requests whose address contains one of these texts from the page until they are released or the page is loaded anew. */
export async function holdAnswers(page: Page, ...parts: string[]): Promise<HeldAnswers> {
  await page.evaluate(`
    const { fetch } = globalThis;
    const [answered, released] = [Promise.withResolvers(), Promise.withResolvers()];
    globalThis.held = { answered: answered.promise, release: released.resolve };
    globalThis.fetch = async (request) => {
      const answer = await fetch(request);
      if (!${JSON.stringify(parts)}.some((part) => request.url.includes(part))) return answer;
      answered.resolve();
      await released.promise;
      return answer;
    };
  `);
  return { answered: () => page.evaluate('held.answered'), release: () => page.evaluate('held.release()') };
}

/** Opens an empty page of a person who reads English and whom the browser does not know. */
export async function openEnglishPage(browser: Browser): Promise<OpenPage> {
  const opened = await openPage(browser);
  await opened.page.context().addInitScript(`localStorage.setItem('parley.language', 'en')`);
  return opened;
}

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string }[] }[];
}

/** Returns what axe finds that keeps people with impairments from using the page or the frame, each with the element. */
export async function findBarriers(page: Pick<Page, 'evaluate'>): Promise<string[]> {
  // The content security policy keeps scripts out of the page, but not those of the debugger.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(`axe.run({ resultTypes: ['violations'] })`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
