/** What agents read and did, in words. */
import type { AgentTrial, AgentTurn } from '@parley/sdk';
import { defineTexts } from '../../texts/texts.ts';

export const AGENT_WORK = defineTexts(
  {
    answered: 'The agent has answered.',
    read: 'What it read',
    readNothing: 'It did not look anything up, or found nothing.',
    passage: (number: string) => `passage ${number}`,
    coverage: (share: string) => `contains ${share} of the question’s words`,
    text: 'Text of the passage',
    files: 'Files of the contact',
    characters: (count: string) => (count === '1' ? '1 character' : `${count} characters`),
    pictures: (count: string) => (count === '1' ? '1 picture' : `${count} pictures`),
    did: 'What it did',
    refused: 'Rejected',
    took: 'Time to answer',
    model: 'Model',
    noModel: 'None: a passage, verbatim',
    input: 'Tokens read',
    output: 'Tokens written',
    cost: 'Cost',
  },
  {
    'pt-BR': {
      answered: 'O agente respondeu.',
      read: 'O que ele leu',
      readNothing: 'Não consultou nada, ou não encontrou nada.',
      passage: (number) => `trecho ${number}`,
      coverage: (share) => `tem ${share} das palavras da pergunta`,
      text: 'Texto do trecho',
      files: 'Arquivos do contato',
      characters: (count) => (count === '1' ? '1 caractere' : `${count} caracteres`),
      pictures: (count) => (count === '1' ? '1 imagem' : `${count} imagens`),
      did: 'O que ele fez',
      refused: 'Recusado',
      took: 'Tempo até a resposta',
      model: 'Modelo',
      noModel: 'Nenhum: um trecho, palavra por palavra',
      input: 'Tokens lidos',
      output: 'Tokens escritos',
      cost: 'Custo',
    },
    es: {
      answered: 'El agente respondió.',
      read: 'Lo que leyó',
      readNothing: 'No consultó nada, o no encontró nada.',
      passage: (number) => `pasaje ${number}`,
      coverage: (share) => `tiene ${share} de las palabras de la pregunta`,
      text: 'Texto del pasaje',
      files: 'Archivos del contacto',
      characters: (count) => (count === '1' ? '1 carácter' : `${count} caracteres`),
      pictures: (count) => (count === '1' ? '1 imagen' : `${count} imágenes`),
      did: 'Lo que hizo',
      refused: 'Rechazado',
      took: 'Tiempo hasta la respuesta',
      model: 'Modelo',
      noModel: 'Ninguno: un pasaje, palabra por palabra',
      input: 'Tokens leídos',
      output: 'Tokens escritos',
      cost: 'Costo',
    },
  },
);

/** What the model got of a file. */
export const FILE_READINGS = defineTexts<Record<AgentTurn['files'][number]['read_as'], string>>(
  { TEXT: 'Its text', PICTURES: 'Looked at', TRANSCRIPT: 'Listened to', LINK: 'Linked', NOTHING: 'Not read' },
  {
    'pt-BR': { TEXT: 'O texto', PICTURES: 'Visto', TRANSCRIPT: 'Ouvido', LINK: 'Com link', NOTHING: 'Não lido' },
    es: { TEXT: 'El texto', PICTURES: 'Visto', TRANSCRIPT: 'Escuchado', LINK: 'Con enlace', NOTHING: 'No leído' },
  },
);

type Reason = NonNullable<AgentTrial['reason']>;

/** Why a person takes over. */
export const HANDOFF_REASONS = defineTexts<Record<Reason, string>>(
  {
    KEYWORD: 'Handed over: the contact asked for a person.',
    MAX_TURNS: 'Handed over: the agent has reached its maximum number of answers.',
    AUTOMATED_CONTACT: 'Handed over: the contact seems to be a program that replies automatically.',
    NO_ANSWER: 'Handed over: the agent found no answer in its knowledge.',
    ONLY_REASONING: 'Handed over: the model wrote its reasoning but no answer.',
    ANSWER_CUT: 'Handed over: the answer was cut off before its first sentence was complete.',
    ASKED_BY_AGENT: 'Handed over: the agent decided that a person should answer.',
    BUDGET_SPENT: 'Handed over: the agent has used up its calls, or the tokens of the day or of the conversation.',
    AGENT_INACTIVE: 'Handed over: the agent is switched off.',
    ANSWER_FAILED: 'Handed over: the model or server that answers has failed.',
    SEND_FAILED: 'Handed over: the network rejected the answer.',
    OUTCOME_UNKNOWN: 'Handed over: it is unknown whether the answer arrived.',
  },
  {
    'pt-BR': {
      KEYWORD: 'Passado a uma pessoa: o contato pediu uma pessoa.',
      MAX_TURNS: 'Passado a uma pessoa: o agente já respondeu tantas vezes quanto pode aqui.',
      AUTOMATED_CONTACT: 'Passado a uma pessoa: o contato parece ser um programa que responde automaticamente.',
      NO_ANSWER: 'Passado a uma pessoa: o agente não encontrou resposta no que pode ler.',
      ONLY_REASONING: 'Passado a uma pessoa: o modelo escreveu o seu raciocínio, mas nenhuma resposta.',
      ANSWER_CUT: 'Passado a uma pessoa: a resposta foi cortada antes de completar a primeira frase.',
      ASKED_BY_AGENT: 'Passado a uma pessoa: o agente decidiu que uma pessoa deve responder.',
      BUDGET_SPENT: 'Passado a uma pessoa: o agente gastou as suas chamadas ou os tokens do dia ou da conversa.',
      AGENT_INACTIVE: 'Passado a uma pessoa: o agente está desligado.',
      ANSWER_FAILED: 'Passado a uma pessoa: o modelo ou o servidor que responde falhou.',
      SEND_FAILED: 'Passado a uma pessoa: a rede não aceitou a resposta.',
      OUTCOME_UNKNOWN: 'Passado a uma pessoa: não se sabe se a resposta chegou.',
    },
    es: {
      KEYWORD: 'Pasado a una persona: el contacto pidió una persona.',
      MAX_TURNS: 'Pasado a una persona: el agente ya respondió tantas veces como puede aquí.',
      AUTOMATED_CONTACT: 'Pasado a una persona: el contacto parece ser un programa que responde automáticamente.',
      NO_ANSWER: 'Pasado a una persona: el agente no encontró respuesta en lo que puede leer.',
      ONLY_REASONING: 'Pasado a una persona: el modelo escribió su razonamiento, pero ninguna respuesta.',
      ANSWER_CUT: 'Pasado a una persona: la respuesta se cortó antes de completar la primera frase.',
      ASKED_BY_AGENT: 'Pasado a una persona: el agente decidió que responda una persona.',
      BUDGET_SPENT: 'Pasado a una persona: el agente gastó sus llamadas o los tokens del día o de la conversación.',
      AGENT_INACTIVE: 'Pasado a una persona: el agente está apagado.',
      ANSWER_FAILED: 'Pasado a una persona: el modelo o el servidor que responde falló.',
      SEND_FAILED: 'Pasado a una persona: la red no aceptó la respuesta.',
      OUTCOME_UNKNOWN: 'Pasado a una persona: no se sabe si la respuesta llegó.',
    },
  },
);
