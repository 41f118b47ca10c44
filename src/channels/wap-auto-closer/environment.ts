/** What the operator sets of the app at the network, which all inboxes share. */
import { optional, url } from '../../platform/values/setting-kinds.ts';

export const wapEnvironment = {
  settings: {
    WAP_GRAPH_URL: url('http:', 'https:'),
    WAP_APP_SECRET: optional,
    WAP_VERIFY_TOKEN: optional,
  },
};
