/** What a conversation says about its agent. */
import { defineTexts } from '../../../texts/texts.ts';

export const AGENT_TEXTS = defineTexts(
  {
    agentAnswers: (agent: string) => `${agent} answers this conversation.`,
    personAnswers: (agent: string) => `A person answers instead of ${agent}.`,
    agentIsOff: (agent: string) => `${agent} is switched off. A person answers.`,
    takeOver: 'Take over',
    handBack: 'Hand back',
    open: 'What it read',
    turn: 'What the agent read and did',
    turnGone: 'The record of what the agent did is no longer stored',
  },
  {
    'pt-BR': {
      agentAnswers: (agent) => `${agent} responde esta conversa.`,
      personAnswers: (agent) => `Uma pessoa responde no lugar de ${agent}.`,
      agentIsOff: (agent) => `${agent} está desligado. Uma pessoa responde.`,
      takeOver: 'Assumir',
      handBack: 'Devolver',
      open: 'O que leu',
      turn: 'O que o agente leu e fez',
      turnGone: 'O que o agente fez já não está guardado',
    },
    es: {
      agentAnswers: (agent) => `${agent} responde esta conversación.`,
      personAnswers: (agent) => `Una persona responde en lugar de ${agent}.`,
      agentIsOff: (agent) => `${agent} está apagado. Responde una persona.`,
      takeOver: 'Tomar el control',
      handBack: 'Devolver',
      open: 'Lo que leyó',
      turn: 'Lo que el agente leyó e hizo',
      turnGone: 'Lo que hizo el agente ya no se guarda',
    },
  },
);
