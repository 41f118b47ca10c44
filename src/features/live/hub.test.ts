import { test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';
import { createSecrets } from '../../platform/store/secrets.ts';
import { createLog } from '../../platform/work/telemetry.ts';
import { openDatabase } from '../../platform/store/open-database.ts';
import { createHub } from './hub.ts';
import { createViewer } from './viewer.ts';

test('changes that cannot be read are read again only as long as someone watches', async () => {
  const store = await openTestDatabase();
  const database = openDatabase({ url: store.url, poolSize: 1 });
  const read = database.read(newId());
  await database.close();
  await store.close();
  const hub = createHub(read, { log: createLog('silent'), secrets: createSecrets('a key of the test') });
  const viewer = createViewer({ scopes: ['*'], inboxes: null }, null);
  hub.viewers.add(viewer);
  const look = (contacts: string[], snapshot: string): void =>
    hub.take({ changed: new Map([['contacts', new Set(contacts)]]), snapshot, isComplete: true });
  look([newId()], '5:5:');
  await new Promise(setImmediate);
  viewer.stream.end();
  hub.viewers.delete(viewer);
  // The cursor follows the looks again as soon as no change waits to be read.
  await waitUntil('the end of the attempts', () => {
    look([], '6:6:');
    return hub.cursor().endsWith('6:6:');
  });
});
