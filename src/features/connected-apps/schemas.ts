import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, nullable, oneOf, plain, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';
import { APP_ACCESS } from '../../platform/values/scopes.ts';

// Long enough for a client whose id is an address, with a long state.
const MAX_REQUEST = declareLimit(8_000, {
  topic: 'MCP',
  what: 'Authorization request',
  unit: 'characters',
  beyond: '400',
});

const access = oneOf(
  APP_ACCESS,
  "What the app can do, within the user's rights: READ changes nothing, WRITE also changes records and writes notes, SEND also sends messages",
);

const appProperties = {
  _id: recordId('connected-app'),
  company: recordId('company'),
  user: recordId('user', 'The user who has connected the app, and for whom it acts'),
  client_id: plain.text('The id that the app has as an OAuth client'),
  name: plain.text('The name that the app gives itself; anyone can register an app under any name'),
  host: plain.text('The host to which the app had the user sent back: a loopback name is a program on their computer'),
  access,
  expires_at: Type.Unsafe<string>({
    ...Timestamp,
    description: 'When the connection ends unless the app is used before',
  }),
  last_used_at: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const ConnectedApp = define('ConnectedApp', Type.Object(appProperties));
export type ConnectedApp = Static<typeof ConnectedApp>;

export const ConnectedAppMade = define(
  'ConnectedAppMade',
  Type.Object({
    ...appProperties,
    redirect_to: nullable(
      plain.text("The app's address, with the code for it. Null in the response to a repeated request"),
    ),
  }),
);
export type ConnectedAppMade = Static<typeof ConnectedAppMade>;

const request = Type.String({
  minLength: 1,
  maxLength: MAX_REQUEST,
  description: 'The query of the address to which the app has sent the user, without the question mark',
});

export const AppRequest = define('AppRequest', strict({ request }));
export type AppRequest = Static<typeof AppRequest>;

export const AppRequested = define(
  'AppRequested',
  Type.Object({
    app: nullable(
      plain.object('What the app asks for; null if its request is wrong', {
        client_id: appProperties.client_id,
        name: appProperties.name,
        host: appProperties.host,
        access: Type.Array(access, { description: 'What it asks for and the user can grant' }),
      }),
    ),
    redirect_to: plain.text(
      "The app's address for a user who denies the request, or the error if the request is wrong",
    ),
  }),
);
export type AppRequested = Static<typeof AppRequested>;

export const ConnectedAppCreate = define('ConnectedAppCreate', strict({ request, access }));
export type ConnectedAppCreate = Static<typeof ConnectedAppCreate>;

export const ConnectedAppParams = Type.Object({ id: recordId('connected-app') });
export const ConnectedAppList = pageSchema(ref(ConnectedApp));
export const ConnectedAppQuery = pageQuery('-createdAt', {
  user: Type.Optional(recordId('user', 'Apps that this user has connected')),
});
export type ConnectedAppQuery = Static<typeof ConnectedAppQuery>;
