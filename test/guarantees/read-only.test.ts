/** A primary that is read-only for a while, as after a failover or before a standby is promoted: nothing is discarded, and all is repeated. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildNotification, buildTextElement, createNetwork } from '../full/harness/network.ts';
import { call, createInbox, openStage, sendRequest } from '../full/harness/stage.ts';
import { waitUntil } from '../support/wait.ts';

const { stage, close } = await openStage({ killable: true });
after(close);
const api = await stage.start('all');
const network = createNetwork(stage.appSecret);
after(network.close);
const tenant = await stage.createTenant('Shop');
const phone = '100000000000400';
await createInbox(api, tenant, phone);

const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
  await stage.store.sql(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await stage.store.sql('select pg_reload_conf()');
  const state = isReadOnly ? 'on' : 'off';
  await waitUntil('the server to take the setting', async () => {
    const [row] = await stage.store.sql<{ now: string }>(
      `select current_setting('default_transaction_read_only') as now`,
    );
    return row?.now === state;
  });
};
const write = (id: string): string => buildNotification([buildTextElement(phone, '5511981000001', id, 'Hello')]);
const listTexts = async (): Promise<unknown[]> =>
  stage.store.sql(`select external_id from messages where message_type = 'INCOMING' order by external_id`);

test('while the database takes no changes, callbacks and requests are answered 503, and each is stored once when it is repeated', async () => {
  await network.postUntilHeard(api.url, write('wamid.before'));
  const contact = { key: tenant.key, body: { name: 'Ana', external_id: 'ana' } };
  await setReadOnly(true);
  for (let round = 0; round < 3; round += 1) {
    assert.equal(await network.post(api.url, write('wamid.during')), 503);
    assert.equal((await sendRequest('POST', `${api.url}/v1/contacts`, contact)).status, 503);
  }
  await setReadOnly(false);
  await network.postUntilHeard(api.url, write('wamid.during'));
  await call(201, 'POST', `${api.url}/v1/contacts`, contact);
  assert.deepEqual(await listTexts(), [{ external_id: 'wamid.before' }, { external_id: 'wamid.during' }]);
  assert.deepEqual(await stage.store.sql('select * from unreadable_items'), []);
});
