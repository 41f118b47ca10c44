import { readFile } from 'node:fs/promises';
import { call, findWhatsApp } from './api.ts';

const form = new FormData();
form.set('inboxId', (await findWhatsApp())._id);
form.set('templateName', 'order_update');
form.set('languageCode', 'en_US');
form.set('components', JSON.stringify([{ parameters: [{ variable_ref: 'contact.first_name' }, { text: '4821' }] }]));
form.set('file', new Blob([await readFile('people.csv')]), 'people.csv');
await call('POST', '/v1/messages/send-bulk-template', form);
