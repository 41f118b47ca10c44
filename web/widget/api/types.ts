/** What the API of the web chat takes and answers. */

export interface Availability {
  is_open: boolean;
  opens_at: string | null;
  away_text: string | null;
}

export interface Question {
  key: string;
  kind: 'NAME' | 'EMAIL' | 'CUSTOM_FIELD';
  title: string | null;
  type: 'TEXT' | 'NUMBER' | 'BOOLEAN' | 'DATE' | 'SELECT' | 'LIST';
  options: string[];
  required: boolean;
}

export type Answer = string | number | boolean | string[];
export type Answers = Record<string, Answer>;

export interface ChatSettings {
  inbox: string;
  title: string;
  color: string;
  position: 'LEFT' | 'RIGHT';
  avatar_url: string | null;
  welcome_text: string | null;
  quick_replies: string[];
  language: string | null;
  availability: Availability;
  questions: Question[];
  identity_required: boolean;
  max_file_bytes: number;
}

export interface ChatSession {
  token: string;
  expires_at: string;
  visitor: string;
  is_known: boolean;
  name: string | null;
  unread_count: number;
  has_conversation: boolean;
}

export interface ChatMessage {
  _id: string;
  /** Only messages of this visitor have one. */
  client_id: string | null;
  author: { kind: 'VISITOR' | 'OPERATOR' | 'AGENT' | 'SYSTEM'; name: string | null; avatar_url: string | null };
  contentType: string;
  content: string | null;
  media: { url: string | null; mimeType: string | null; fileName: string | null; size: number | null } | null;
  location: { latitude: number; longitude: number; name: string | null; address: string | null } | null;
  buttons: { id: string; title: string }[];
  reply_to: string | null;
  status: string;
  createdAt: string;
  is_revoked: boolean;
}

export interface MessagePage {
  result: ChatMessage[];
  has_more: boolean;
  /** How many of the visitor's newest messages the company has not read. */
  unseen_count: number;
}

/** What the stream brings. A newer platform may send further events. */
export type ChatEvent =
  | { event: 'ready' | 'reset' }
  | { event: 'message'; data: ChatMessage }
  | { event: 'conversation'; data: { is_open: boolean; unseen_count: number } }
  | { event: 'typing'; data: { name?: string | null; is_typing: boolean } };
