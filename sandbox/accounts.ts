/** One phone number of one business, as its owner would have registered it with the network. */
export type Account = {
  phone_number_id: string;
  waba_id: string;
  business_id: string;
  token: string;
  display_phone_number: string;
  verified_name: string;
  is_on_biz_app: boolean;
  quality_rating: string;
  /** AVAILABLE, or LIMITED or BLOCKED while the network restricts the account. */
  can_send_message: string;
};

type CallbackOverride = { url: string; verify_token: string };

export type Accounts = {
  byPhone: Map<string, Account>;
  /** The tokens of all registered accounts, so that the check of a token need not look through the accounts. */
  tokens: Set<string>;
  /** While this is true, calls with any id and any token are accepted, and an account is made up for each unknown id. */
  open: boolean;
  subscribed: Set<string>;
  /** What each phone in the business's own app was asked for, by phone number id. */
  synced: Map<string, string[]>;
  wabaOverride: Map<string, CallbackOverride>;
  phoneOverride: Map<string, CallbackOverride>;
};

/** The account that the quick start and the demo company use. */
const DEMO: Account = {
  phone_number_id: '100000000000001',
  waba_id: '200000000000001',
  business_id: '300000000000001',
  token: 'sandbox-token',
  display_phone_number: '+55 11 90000-0000',
  verified_name: 'Demo company',
  is_on_biz_app: false,
  quality_rating: 'GREEN',
  can_send_message: 'AVAILABLE',
};

export function createAccounts(open: boolean): Accounts {
  return {
    byPhone: open ? new Map() : new Map([[DEMO.phone_number_id, DEMO]]),
    tokens: new Set(open ? [] : [DEMO.token]),
    open,
    subscribed: new Set(),
    synced: new Map(),
    wabaOverride: new Map(),
    phoneOverride: new Map(),
  };
}

/** Registers an account; from then on only registered accounts exist. Returns an error sentence when a field is missing. */
export function registerAccount(accounts: Accounts, input: Partial<Account>): Account | string {
  const { phone_number_id, waba_id, token } = input;
  for (const [name, value] of Object.entries({ phone_number_id, waba_id, token })) {
    if (typeof value !== 'string' || value === '') return `The field ${name} is required.`;
  }
  const account = {
    ...DEMO,
    business_id: `3${String(waba_id).slice(1)}`,
    ...input,
  };
  accounts.open = false;
  const replaced = accounts.byPhone.get(account.phone_number_id);
  accounts.byPhone.set(account.phone_number_id, account);
  accounts.tokens.add(account.token);
  const isTokenUsed = [...accounts.byPhone.values()].some(({ token: used }) => used === replaced?.token);
  if (replaced !== undefined && !isTokenUsed) accounts.tokens.delete(replaced.token);
  return account;
}

/** Returns the account of a phone number, a made-up one while the sandbox is open, or undefined when there is none. */
export function findAccount(accounts: Accounts, phoneNumberId: string): Account | undefined {
  const account = accounts.byPhone.get(phoneNumberId);
  if (account !== undefined || !accounts.open) return account;
  if (!/^\d{1,32}$/.test(phoneNumberId)) return undefined;
  const made = { ...DEMO, phone_number_id: phoneNumberId, waba_id: `2${phoneNumberId.slice(1)}` };
  // A benchmark uses some thousand numbers. Beyond this many, made-up accounts are not kept.
  if (accounts.byPhone.size < 10_000) accounts.byPhone.set(phoneNumberId, made);
  return made;
}

/** All accounts of a WABA (a WhatsApp business account); while the sandbox is open, at least a made-up one. */
export function listWabaAccounts(accounts: Accounts, wabaId: string): Account[] {
  const found = [...accounts.byPhone.values()].filter((account) => account.waba_id === wabaId);
  return found.length > 0 || !accounts.open ? found : [{ ...DEMO, waba_id: wabaId }];
}

/** The address for this number's notifications: the number's own callback, else its WABA's, else the app's. */
export function findCallbackAddress(
  accounts: Accounts,
  account: Account,
  appCallbackUrl: string | null,
): string | null {
  const override = accounts.phoneOverride.get(account.phone_number_id) ?? accounts.wabaOverride.get(account.waba_id);
  return override?.url ?? appCallbackUrl;
}
