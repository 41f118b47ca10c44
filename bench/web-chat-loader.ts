/** Benchmark (web-chat): how long the widget's loader occupies the main thread of a site, in a real Chromium. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { shipWebApps } from '../src/platform/http/web-builds.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { median, type Figure } from './measure.ts';
import { spawnProgram, type BenchStage } from './stage.ts';
import { createSite } from './web-chat.ts';

const LOADS = 7;
const MOST_MS = 50;

export async function benchLoader(stage: BenchStage): Promise<Figure[]> {
  await shipWebApps();
  const api = await spawnProgram('src/launch.js', ['api'], stage.env);
  const inbox = await createSite(stage, api.url);
  const script = `<script async src="${api.url}/widget.js" data-inbox="${inbox}"></script>`;
  const site = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><link rel="icon" href="data:,"><h1>Shop</h1>${url === '/with' ? script : ''}`);
  });
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const browser = await launchBrowser();
  try {
    const costs: number[] = [];
    for (let load = 0; load < LOADS; load += 1)
      costs.push(
        (await measureBusyMs(browser, `${origin}/with`)) - (await measureBusyMs(browser, `${origin}/without`)),
      );
    const typical = median(costs);
    return [
      {
        name: "(web-chat) the loader on a site's main thread",
        value: `p50 ${typical.toFixed(0)} ms (longest ${Math.max(...costs).toFixed(0)})`,
        goal: `<= ${MOST_MS} ms`,
        met: typical <= MOST_MS,
      },
    ];
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
    await api.stop();
  }
}

/** Returns how many milliseconds of CPU time the main thread of a page needs until it is idle. */
async function measureBusyMs(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url);
  if (url.endsWith('/with')) await page.locator('parley-chat').waitFor({ state: 'attached' });
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  const { metrics } = await session.send('Performance.getMetrics');
  await context.close();
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}
