/** The agent of the demo company, which answers as the bakery that the sandbox shows, from three texts. */
import { createAgent, pageAgents } from '../features/agents/agents.ts';
import { createAutcl, pageItems } from '../features/knowledge/knowledge.ts';
import type { Kit } from '../kit.ts';
import type { Tenant } from '../platform/store/tenant.ts';

/** The same questions and answers in each language, so that a newcomer is answered in the language of the question. */
const TEXTS = [
  {
    name: 'Perguntas frequentes',
    language: 'pt',
    content: `# Horário

A padaria abre todos os dias, de segunda a domingo, das 6h às 20h.

# Endereço

A Padaria Aurora fica na Rua da Aurora, 120, no Recife.

# Entrega

Entregamos em todo o Recife. Pedidos feitos até as 20h chegam na manhã seguinte, das 6h às 8h. A entrega custa R$ 8 e é grátis acima de R$ 60.

# Pagamento

Aceitamos Pix, cartão de crédito, cartão de débito e dinheiro.

# Preços

O pão da casa, de centeio e trigo, pesa 1 kg e custa R$ 24. Dez pães franceses custam R$ 9. Uma dúzia de pães de queijo custa R$ 18.

# Glúten e lactose

Não temos pão sem glúten. O pão da casa e o pão francês não têm leite nem lactose.`,
  },
  {
    name: 'Questions and answers',
    language: 'en',
    content: `# Opening hours

The bakery is open every day, from Monday to Sunday, from 6 am to 8 pm.

# Address

You find the bakery Padaria Aurora at Rua da Aurora 120 in Recife.

# Delivery

We deliver everywhere in Recife. What you order before 8 pm arrives the next morning, between 6 and 8 am. Delivery costs R$ 8 and is free above R$ 60.

# Payment

You can pay by Pix, credit card, debit card or cash.

# Prices

The country loaf of rye and wheat weighs 1 kg and costs R$ 24. Ten French rolls cost R$ 9. A dozen cheese breads costs R$ 18.

# Gluten and lactose

We have no gluten-free bread. The country loaf and the French rolls have neither milk nor lactose.`,
  },
  {
    name: 'Preguntas frecuentes',
    language: 'es',
    content: `# Horario

Abrimos todos los días, de lunes a domingo, de 6 a 20 horas.

# Dirección

La panadería Padaria Aurora está en la Rua da Aurora 120, en Recife.

# Envío

Entregamos en todo Recife. Los pedidos hechos antes de las 20 horas llegan a la mañana siguiente, entre las 6 y las 8. El envío cuesta R$ 8 y es gratis a partir de R$ 60.

# Pago

Aceptamos Pix, tarjeta de crédito, tarjeta de débito y efectivo.

# Precios

El pan de la casa, de centeno y trigo, pesa 1 kg y cuesta R$ 24. Diez panes franceses cuestan R$ 9. Una docena de panes de queso cuesta R$ 18.

# Gluten y lactosa

No tenemos pan sin gluten. El pan de la casa y el pan francés no llevan leche ni lactosa.`,
  },
] as const;

type AgentCreate = Parameters<typeof createAgent>[2];

const AGENT: AgentCreate = {
  name: 'Aurora',
  type: 'AI',
  description: 'Answers as the bakery of the demo',
  instructions: 'Você é a Aurora, da Padaria Aurora. Responda com simpatia e em poucas palavras.',
  handoff: {
    enabled: true,
    keywords: ['falar com uma pessoa', 'atendente', 'talk to a person', 'hablar con una persona'],
    max_turns: 20,
  },
  handoff_message: 'Uma pessoa da padaria já vai responder.\nA person of the bakery will answer you soon.',
};

const FIRST = { page: 1, limit: 1, skipCount: true, sort: '-createdAt' } as const;

/** Creates the texts and the agent, unless an earlier start that was cut off has created them. Returns the id of the agent. */
export async function createDemoAgent(kit: Kit, tenant: Tenant): Promise<string> {
  const made = await pageAgents(tenant, FIRST);
  if (made.result[0]) return made.result[0]._id;
  const knowledge: string[] = [];
  for (const text of TEXTS) {
    const stored = await pageItems(kit, tenant, { ...FIRST, search: text.name });
    knowledge.push((stored.result[0] ?? (await createAutcl(kit, tenant, text)))._id);
  }
  const agent = await createAgent(kit, tenant, { ...AGENT, knowledge });
  return agent._id;
}
