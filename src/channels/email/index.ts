/** E-mail: an inbox is a mailbox, which sends by SMTP and is read by IMAP. */
import { declareChannel, SILENT, type ChannelNetwork, type NetworkAccess } from '../channel.ts';
import { EMAIL_ADDRESS } from '../identity.ts';
import { checkMailbox, fetchFile, fetchItems, watchItems } from './fetch.ts';
import { MAIL_MEDIA } from './media.ts';
import { pushedMails } from './pushed.ts';
import { emailSettings, type EmailConfig } from './settings.ts';
import { checkSmtp, refusesCredentials, sendMail } from './smtp.ts';

const CONTENT = ['TEXT' as const, ...MAIL_MEDIA.map(({ contentType }) => contentType)];

export const emailChannel = declareChannel<'EMAIL', EmailConfig>({
  ...SILENT,
  name: 'EMAIL',
  settings: emailSettings,
  identities: [EMAIL_ADDRESS],
  can: { ...SILENT.can, content: CONTENT, media: MAIL_MEDIA, threads: true, subjects: true, unsubscribe: true },
  samples: { ...SILENT.samples, contents: CONTENT.map((type) => ({ contentType: type, content: 'Hello' })) },
  // Libraries that read mails are loaded in the processes that need them.
  translate: async (item) => (await import('./translate.ts')).translateMail(item),
  extractFile: async (item, file) => (await import('./part.ts')).extractFile(item, file),
  open: openNetwork,
});

function openNetwork(network: NetworkAccess): ChannelNetwork<EmailConfig> {
  return {
    async check(config, signal, _callback, company) {
      const sending = await checkSmtp(network, config, signal);
      return sending.ok ? checkMailbox(network, { config, company, signal }) : sending;
    },
    send: (message, config, signal) => sendMail(network, message, config, signal),
    fetchItems: (config, place, signal) => fetchItems(network, { config, company: place.company, signal }, place),
    watchItems: (config, onNews, signal) => watchItems(network, { config, signal }, onNews),
    fetchFile: (wanted, config, signal) => fetchFile(network, { config, company: wanted.company, signal }, wanted),
    refusesCredentials,
    pushedItems: pushedMails,
  };
}
