/**
 * `npm run console` builds the console and the web chat into the folders web/<name>/dist, so that a process of an image finds them there and
 * builds nothing at its start.
 */
import { shipWebApps } from '../src/platform/http/web-builds.ts';

for (const folder of await shipWebApps()) console.log(`Built ${folder}`);
