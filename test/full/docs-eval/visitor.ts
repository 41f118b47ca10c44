/** A visitor of the page that a coding agent has written. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Response } from 'playwright-core';
import { shipWebApps } from '../../../src/platform/http/web-builds.ts';
import { launchBrowser } from '../../support/browser.ts';
import { followShop } from '../../support/shop-page.ts';
import type { EvalStage } from './stage.ts';

// A platform looks for the build when it starts.
await shipWebApps();

/** Serves index.html at the port of the stage, opens it in a browser, and writes in its chat. */
export async function writeInChat({ folder, port }: EvalStage, text: string): Promise<void> {
  const page = await readFile(join(folder, 'index.html'));
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const browser = await launchBrowser();
  try {
    const opened = await browser.newPage();
    await opened.goto(`http://127.0.0.1:${port}/`);
    const { openChat, write } = followShop(opened);
    await openChat();
    const isSent = (answer: Response): boolean =>
      answer.request().method() === 'POST' && answer.url().endsWith('/messages');
    await Promise.all([opened.waitForResponse(isSent), write(text)]);
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
