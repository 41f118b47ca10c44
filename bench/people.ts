/** Creates millions of contacts in SQL that resemble those of a Brazilian company: names, e-mails, numbers and five custom fields. */
import type { TestDatabase } from '../test/support/database.ts';
import { fillTables } from './fill.ts';

// The early names of each list are common (each is that of every twentieth Brazilian), and the late ones are rare.
const FIRST =
  `Maria José Ana João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Gabriel Rafael Daniel Marcelo Bruno Eduardo
  Felipe Juliana Fernanda Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera
  Vitória Larissa Cláudia Beatriz Rita Luana Sônia Renata Eliane Débora Raimunda Tereza Cecília Helena Lívia Isadora Sebastião
  Raimundo Severino Gustavo Thiago Rodrigo Fábio Leandro Tiago André Márcio Ricardo Otávio Caetano Benício Joaquim Heitor Davi
  Valentim Iracema Jaciara Ubiratã Moacir Aparecida Conceição Dulce Edilson Genivaldo Wanderley Xênia Yolanda Zuleide`.split(
    /\s+/,
  );
const LAST =
  `Silva Santos Oliveira Souza Lima Pereira Ferreira Costa Rodrigues Almeida Nascimento Alves Carvalho Araújo Ribeiro
  Gomes Martins Barbosa Rocha Dias Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Teixeira Cavalcanti Monteiro Moura
  Correia Campos Batista Barros Pinto Castro Borges Duarte Azevedo Vieira Fonseca Brandão Magalhães Guimarães Assunção Siqueira
  Bittencourt Figueiredo Antunes Vasconcelos Prado Queiroz Sampaio Tavares Uchôa Valadares Xavier Zanetti Schmidt Wolff Kubitschek
  Yamamoto Takahashi Bianchi Ferrari Hoffmann Krüger Peçanha`.split(/\s+/);
const MAIL = ['gmail.com', 'hotmail.com', 'outlook.com', 'yahoo.com.br', 'uol.com.br', 'empresa.example'];
const AREAS = [11, 11, 11, 21, 21, 31, 41, 47, 51, 61, 62, 71, 81, 85, 91];
const CITIES =
  `São Paulo|Rio de Janeiro|Salvador|Fortaleza|Belo Horizonte|Manaus|Curitiba|Recife|Goiânia|Belém|Porto Alegre|Campinas|
  São Luís|Maceió|Natal|Teresina|João Pessoa|Florianópolis|Cuiabá|Aracaju`.split(/\|\s*/);

const makeFieldId = (number: number): string => number.toString(16).padStart(24, 'f');

/** The five custom fields that each of these contacts has. */
export const FIELDS = {
  plan: { _id: makeFieldId(1), type: 'SELECT' },
  city: { _id: makeFieldId(2), type: 'TEXT' },
  score: { _id: makeFieldId(3), type: 'NUMBER' },
  customer: { _id: makeFieldId(4), type: 'BOOLEAN' },
  batch: { _id: makeFieldId(5), type: 'TEXT' },
};

/**
 * One contact in every `oneIn` has this name. The field `batch` has `oneIn` different values, and each value of `plan` belongs to a quarter
 * of the contacts.
 */
export const RARE = { oneIn: 20_000, name: 'Ezquiel' };
// The number of rows that one statement inserts. It takes seconds, so that an interrupted run ends soon.
const PORTION = 50_000;

/** Inserts `counts[company]` contacts into each company, created one second apart, and updates the statistics of the planner. */
export async function seedPeople(database: Pick<TestDatabase, 'sql'>, counts: Record<string, number>): Promise<void> {
  const { sql } = database;
  await sql(CHANCE);
  await fillTables(database, ['contacts'], async () => {
    for (const [company, count] of Object.entries(counts)) {
      await sql(
        `insert into custom_fields (company_id, _id, slug, title, context, type)
          select $1, f ->> '_id', f ->> 'slug', f ->> 'slug', 'contact', f ->> 'type' from jsonb_array_elements($2) f`,
        [company, JSON.stringify(Object.entries(FIELDS).map(([slug, field]) => ({ slug, ...field })))],
      );
      for (let from = 1; from <= count; from += PORTION) {
        const to = Math.min(from + PORTION - 1, count);
        await sql(PEOPLE, [company, from, to, FIRST, LAST, MAIL, AREAS, CITIES, RARE.oneIn, RARE.name]);
      }
    }
  });
  await sql('vacuum analyze contact_activity');
}

/** Creates an SQL function that returns a number from 0 to 1, which is the same for the same arguments on every machine. */
const CHANCE = `create or replace function chance(n bigint, salt bigint) returns double precision language sql immutable
  as 'select (hashint8extended(n, salt) & 1073741823) / 1073741824.0::double precision'`;

/** Returns SQL that picks an entry of a list, early entries more often than late ones: the first surname, Silva, for 8 % of the people. */
const pickFromList = (list: string, salt: number): string =>
  `(${list})[1 + floor(cardinality(${list}) * power(chance(n, ${salt}), 1.4))::int]`;

const PEOPLE = `insert into contacts (company_id, _id, name, email, phone_number, country_code, source, custom_fields, created_at,
    updated_at, last_message_at)
  select $1, lpad(to_hex(n), 24, '0'), first || ' ' || middle || last,
    case when chance(n, 5) < 0.7 then lower(fold(first) || '.' || fold(last)) || n || '@' || ${pickFromList('$6::text[]', 6)} end,
    '+55' || ${pickFromList('$7::text[]', 7)} || '9' || lpad(floor(chance(n, 8) * 1e8)::bigint::text, 8, '0'), 'BR', 'IMPORT',
    jsonb_build_object('${FIELDS.plan._id}', ('{Básico,Ouro,Prata,Diamante}'::text[])[1 + n % 4],
      '${FIELDS.city._id}', ${pickFromList('$8::text[]', 9)}, '${FIELDS.score._id}', floor(chance(n, 10) * 1000),
      '${FIELDS.customer._id}', chance(n, 11) < 0.3, '${FIELDS.batch._id}', 'Lote ' || floor(chance(n, 12) * $9::int)),
    at, at + chance(n, 13) * interval '30 days', case when n % 2 = 0 then at + chance(n, 14) * interval '30 days' end
  from (
    select n, now() - interval '400 days' + n * interval '1 second' as at, case when n % $9::int = 0 then $10 else ${pickFromList('$4::text[]', 1)} end as first, ${pickFromList('$5::text[]', 2)} as last,
      case when chance(n, 3) < 0.6 then ${pickFromList('$5::text[]', 4)} || ' ' else '' end as middle
    from generate_series($2::bigint, $3::bigint) n
  ) people`;
