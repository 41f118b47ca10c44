/** The events of the webhook: what each is called, and what makes it fire. */
import { defineTexts } from '../../texts/texts.ts';
import type { EventName } from './deliveries.ts';

const titles: Record<EventName, string> = {
  MESSAGE_RECEIVED: 'Message received',
  MESSAGE_SENT: 'Message sent',
  MESSAGE_DELIVERED: 'Message delivered',
  MESSAGE_READ: 'Message read',
  MESSAGE_FAILED: 'Message failed',
  CONVERSATION_CREATED: 'Conversation opened',
  CONVERSATION_UPDATED: 'Conversation changed',
  CONVERSATION_STEP_CHANGED: 'Conversation moved to another step',
  CONTACT_CREATED: 'Contact created',
  CONTACT_UPDATED: 'Contact changed',
  FIELD_UPDATED: 'Custom field changed',
  INBOX_CONNECTION_CHANGED: 'Connection of an inbox changed',
  FOLLOWUP_SENT: 'Follow-up sent',
};

export const EVENT_TITLES = defineTexts(titles, {
  'pt-BR': {
    MESSAGE_RECEIVED: 'Mensagem recebida',
    MESSAGE_SENT: 'Mensagem enviada',
    MESSAGE_DELIVERED: 'Mensagem entregue',
    MESSAGE_READ: 'Mensagem lida',
    MESSAGE_FAILED: 'Mensagem falhou',
    CONVERSATION_CREATED: 'Conversa aberta',
    CONVERSATION_UPDATED: 'Conversa alterada',
    CONVERSATION_STEP_CHANGED: 'Conversa mudou de etapa',
    CONTACT_CREATED: 'Contato criado',
    CONTACT_UPDATED: 'Contato alterado',
    FIELD_UPDATED: 'Campo personalizado alterado',
    INBOX_CONNECTION_CHANGED: 'Conexão de uma caixa de entrada alterada',
    FOLLOWUP_SENT: 'Acompanhamento enviado',
  },
  es: {
    MESSAGE_RECEIVED: 'Mensaje recibido',
    MESSAGE_SENT: 'Mensaje enviado',
    MESSAGE_DELIVERED: 'Mensaje entregado',
    MESSAGE_READ: 'Mensaje leído',
    MESSAGE_FAILED: 'Mensaje fallido',
    CONVERSATION_CREATED: 'Conversación abierta',
    CONVERSATION_UPDATED: 'Conversación modificada',
    CONVERSATION_STEP_CHANGED: 'Conversación movida a otra etapa',
    CONTACT_CREATED: 'Contacto creado',
    CONTACT_UPDATED: 'Contacto modificado',
    FIELD_UPDATED: 'Campo personalizado modificado',
    INBOX_CONNECTION_CHANGED: 'Conexión de una bandeja modificada',
    FOLLOWUP_SENT: 'Seguimiento enviado',
  },
});

// The keys of the catalogue are the events, which the compiler cannot tell.
export const EVENT_NAMES = Object.keys(titles) as EventName[];

const hints: Record<EventName, string> = {
  MESSAGE_RECEIVED: 'A contact has written, or the company in the Business app.',
  MESSAGE_SENT: 'The network has accepted a message of the company.',
  MESSAGE_DELIVERED: 'A message has reached the contact’s device.',
  MESSAGE_READ: 'The contact has read a message for the first time.',
  MESSAGE_FAILED: 'The network reports that a sent message has failed.',
  CONVERSATION_CREATED: 'A conversation was opened, by a message or by a program.',
  CONVERSATION_UPDATED: 'Its status, people, agent, tags, fields or step changed.',
  CONVERSATION_STEP_CHANGED: 'It moved to another step of a pipeline.',
  CONTACT_CREATED: 'A new contact was created.',
  CONTACT_UPDATED: 'A field of a contact has changed.',
  FIELD_UPDATED: 'A custom field has a new value; one event per field.',
  INBOX_CONNECTION_CHANGED: 'An inbox was connected, or its network refuses it.',
  FOLLOWUP_SENT: 'An agent has written again to a contact who did not reply.',
};

export const EVENT_HINTS = defineTexts(hints, {
  'pt-BR': {
    MESSAGE_RECEIVED: 'Um contato escreveu, ou a empresa escreveu pelo próprio aplicativo.',
    MESSAGE_SENT: 'A rede aceitou uma mensagem da empresa.',
    MESSAGE_DELIVERED: 'Uma mensagem chegou ao aparelho do contato.',
    MESSAGE_READ: 'O contato leu uma mensagem pela primeira vez.',
    MESSAGE_FAILED: 'A rede informa que uma mensagem que já tinha saído falhou.',
    CONVERSATION_CREATED: 'Uma conversa começa, por uma mensagem ou por um programa.',
    CONVERSATION_UPDATED: 'Mudaram a situação, as pessoas, o agente, as etiquetas, os campos ou a etapa.',
    CONVERSATION_STEP_CHANGED: 'Ela está em outra etapa de um funil.',
    CONTACT_CREATED: 'Alguém desconhecido virou contato.',
    CONTACT_UPDATED: 'Um campo de um contato mudou.',
    FIELD_UPDATED: 'Um campo personalizado tem outro valor; um evento para cada campo.',
    INBOX_CONNECTION_CHANGED: 'Uma caixa de entrada foi conectada, ou a rede a recusa.',
    FOLLOWUP_SENT: 'Um agente escreveu de novo a um contato que não respondeu.',
  },
  es: {
    MESSAGE_RECEIVED: 'Un contacto escribió, o la empresa escribió desde su aplicación.',
    MESSAGE_SENT: 'La red aceptó un mensaje de la empresa.',
    MESSAGE_DELIVERED: 'Un mensaje llegó al dispositivo del contacto.',
    MESSAGE_READ: 'El contacto leyó un mensaje por primera vez.',
    MESSAGE_FAILED: 'La red informa que falló un mensaje que ya había salido.',
    CONVERSATION_CREATED: 'Comienza una conversación, por un mensaje o por un programa.',
    CONVERSATION_UPDATED: 'Cambiaron el estado, las personas, el agente, las etiquetas, los campos o la etapa.',
    CONVERSATION_STEP_CHANGED: 'Está en otra etapa de un embudo.',
    CONTACT_CREATED: 'Alguien desconocido se convirtió en contacto.',
    CONTACT_UPDATED: 'Cambió un campo de un contacto.',
    FIELD_UPDATED: 'Un campo personalizado tiene otro valor; un evento por cada campo.',
    INBOX_CONNECTION_CHANGED: 'Se conectó una bandeja, o su red la rechaza.',
    FOLLOWUP_SENT: 'Un agente escribió de nuevo a un contacto que no respondió.',
  },
});
