/** Functions that look something up in the knowledge base, and that send a file of it. */
import { expectAttachment } from '../../attachments/attachments.ts';
import { convertForChannel } from '../../messages/convert-file.ts';
import { findRefusal } from '../../messages/files.ts';
import { listSendableFiles } from '../../knowledge/files.ts';
import { readPassages } from '../answers/passages.ts';
import { KnowledgeArguments, NameArguments } from './schemas.ts';
import { Refusal, refuse, type Scene, type Tool } from './tool.ts';

// The most passages that one search returns.
const PASSAGES = 4;

export const searchTool = ({ kit, acting, agent, read }: Scene): Tool => ({
  name: 'search_knowledge',
  description: 'Looks for further passages in the knowledge base of the company.',
  parameters: KnowledgeArguments,
  call: async ({ query }: KnowledgeArguments) => {
    const passages = (await readPassages(kit, acting, agent, query)).slice(0, PASSAGES);
    read.passages.push(...passages);
    return JSON.stringify(passages.map(({ name, headings, content }) => ({ name, headings, content })));
  },
});

/** Returns null when the agent has no file that it may send. */
export async function fileTool({ kit, acting, agent, conversation, plan }: Scene): Promise<Tool | null> {
  const files = await listSendableFiles(acting.read, agent.knowledge_scope === 'LISTED' ? agent.knowledge : null);
  if (files.length === 0) return null;
  const names = files.map(({ name, description }) => (description ? `${name} (${description})` : name));
  return {
    name: 'send_file',
    description: `Sends a file with your answer, at most one: ${names.join('; ')}`,
    parameters: NameArguments,
    call: async ({ name }: NameArguments) => {
      const file = files.find((each) => each.name === name);
      if (!file) throw new Refusal('There is no such file.');
      const { attachment: id, contentType } = file;
      const attachment = await expectAttachment(acting.read, id, 'file');
      if (conversation) {
        const content = { contentType };
        const outgoing = { conversation: conversation._id, content, attachment, replyTo: null };
        const sent = await convertForChannel(kit, acting, outgoing).catch(refuse);
        const { can } = kit.channels.get(conversation.channel);
        const refusal = sent && findRefusal(can.media, contentType, sent);
        if (refusal) throw new Refusal(refusal);
      }
      plan.file = { attachment: id, contentType };
      return 'The file is sent with your answer.';
    },
  };
}
