/** What the operator sets of the app at the network, which all inboxes share, and of their numbers. */
import { CLOUD_API_SETTINGS } from '../templates/cloud-api.ts';
import { optional, url } from '../../platform/values/setting-kinds.ts';

export const wapEnvironment = {
  settings: {
    WAP_GRAPH_URL: url('http:', 'https:'),
    WAP_APP_SECRET: optional,
    WAP_VERIFY_TOKEN: optional,
    ...CLOUD_API_SETTINGS,
  },
};
