/** Serves the page of the chat, which the sites of its inbox show in a frame, and the script by which they do so. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { createVisitCounter } from '../../platform/http/access.ts';
import { addressShare } from '../../platform/http/limits.ts';
import { sharedFileRoute, webAppRoutes } from '../../platform/http/web-apps.ts';
import { locateWebBuild } from '../../platform/http/web-builds.ts';
import { parseWebAddress } from '../../platform/values/web-address.ts';
import { readSite, type Site } from './sites.ts';

export function addChatPages(app: FastifyInstance, kit: Kit): void {
  const count = createVisitCounter(kit.access);
  const build = (): string => locateWebBuild('widget', kit.config.DATA_DIR);
  webAppRoutes(app, count, {
    name: 'widget',
    path: '/widget',
    build,
    policy: { 'media-src': "'self'" },
    microphone: true,
    findPolicy: async (inbox, caller) => {
      const site = await readSite(kit, inbox, addressShare(caller));
      return site && makePolicy(site);
    },
  });
  sharedFileRoute(app, count, { path: '/widget.js', file: 'widget.js', build });
}

/** A site may stand for all hosts below its domain. Only what was parsed goes into the header, because `;` would begin a directive. */
function toSources(site: string): string[] {
  const isWide = site.includes('//*.');
  const origin = parseWebAddress(site.replace('//*.', '//'))?.origin;
  return origin === undefined ? [] : [isWide ? origin.replace('//', '//*.') : origin];
}

/** The sites of the inbox may frame the page, and the pictures of the company and its people may come from elsewhere. */
const makePolicy = ({ origins, pictureOrigins }: Site) => ({
  'frame-ancestors': ["'self'", ...origins.flatMap(toSources)].join(' '),
  'img-src': ["'self'", ...pictureOrigins].join(' '),
});
