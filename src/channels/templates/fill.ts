/** Assigns the given parameters to the slots of a template, and finds what does not fit. */
import type { Fault, GivenComponent, GivenParameter } from './given.ts';
import type { ParameterFormat } from './network.ts';
import type { Slot, TemplateShape } from './shape.ts';
import { readValue, type SlotValue } from './values.ts';

/** A slot with its value. */
export interface Filled {
  slot: Slot;
  value: SlotValue;
  /** Where the value stands in the request. */
  path: string;
}

type Target = Pick<Slot, 'component' | 'card' | 'index'>;

interface Filling {
  shape: TemplateShape;
  format: ParameterFormat;
  filled: Filled[];
  faults: Fault[];
}

export function fillSlots(
  shape: TemplateShape,
  format: ParameterFormat,
  given: readonly GivenComponent[],
): Pick<Filling, 'filled' | 'faults'> {
  const filling: Filling = { shape, format, filled: [], faults: [] };
  if (shape.unsupported !== null) {
    const message = `cannot be sent: the template has ${shape.unsupported}, which is not supported`;
    return { filled: [], faults: [{ path: '', code: 'UNSUPPORTED', message }] };
  }
  const seen = new Set<string>();
  for (const [place, component] of given.entries()) fillComponent(filling, component, { path: `[${place}]`, seen });
  // A missing value is not reported next to another fault, because both may be the same mistake.
  if (filling.faults.length === 0) findMissing(filling);
  return filling;
}

function fillComponent(
  filling: Filling,
  component: GivenComponent,
  { path, seen }: { path: string; seen: Set<string> },
): void {
  const report = (property: string, code: string, message: string): void =>
    void filling.faults.push({ path: property ? `${path}.${property}` : path, code, message });
  const target = readTarget(component);
  const { component: kind, card, index } = target;
  if (kind === 'BUTTON' && index === null)
    return report('index', 'REQUIRED', 'is required: the position of the button');
  if (kind !== 'BUTTON' && component.index !== undefined) return report('index', 'INVALID', 'is only for a button');
  if (kind !== 'BUTTON' && component.sub_type !== undefined)
    return report('sub_type', 'INVALID', 'is only for a button');
  const slots = filling.shape.slots.filter((slot) => isOf(slot, target));
  if (slots.length === 0) {
    // Callers may name every component of a template, also those without a variable.
    if (component.parameters.length === 0) return;
    return report(
      '',
      'COUNT_MISMATCH',
      `is not allowed here: the template takes no value in ${describeTarget(target)}`,
    );
  }
  const key = `${kind} ${card} ${index}`;
  if (seen.has(key)) return report('', 'INVALID', `is the second one for ${describeTarget(target)}`);
  seen.add(key);
  const expected = slots[0]?.sub_type ?? null;
  if (component.sub_type !== undefined && component.sub_type.toUpperCase() !== expected)
    return report('sub_type', 'TYPE_MISMATCH', `does not fit: the button is of type ${expected?.toLowerCase()}`);
  fillParameters(filling, slots, { parameters: component.parameters, path: `${path}.parameters` });
}

function readTarget({ type, index, card }: GivenComponent): Target {
  const kind = type ?? (index === undefined ? 'body' : 'button');
  const component = kind.toUpperCase() as Slot['component'];
  return { component, card: card ?? null, index: kind === 'button' && index !== undefined ? Number(index) : null };
}

const isOf = (slot: Slot, { component, card, index }: Target): boolean =>
  slot.component === component && slot.card === card && slot.index === index;

const NAMES: Record<Slot['component'], string> = {
  HEADER: 'its header',
  BODY: 'its body',
  BUTTON: 'its button',
  LIMITED_TIME_OFFER: 'its limited-time offer',
};

function describeTarget({ component, card, index }: Target): string {
  const name = `${NAMES[component]}${index === null ? '' : ` ${index}`}`;
  return card === null ? name : `${name} of card ${card}`;
}

interface Given {
  parameters: readonly GivenParameter[];
  path: string;
}

function fillParameters(filling: Filling, slots: Slot[], { parameters, path }: Given): void {
  const required = slots.filter((slot) => slot.required).length;
  if (parameters.length > slots.length || parameters.length < required) {
    const message = `has ${parameters.length} parameters, and the template takes ${slots.length} here`;
    return void filling.faults.push({ path, code: 'COUNT_MISMATCH', message });
  }
  const taken = new Set<Slot>();
  for (const [place, parameter] of parameters.entries()) {
    const at = `${path}[${place}]`;
    const chosen = chooseSlot(filling.format, slots, { parameter, place, taken });
    if ('message' in chosen) {
      filling.faults.push({ path: `${at}.parameter_name`, ...chosen });
      continue;
    }
    taken.add(chosen.slot);
    const read = readValue(chosen.slot, parameter);
    if ('value' in read) filling.filled.push({ slot: chosen.slot, value: read.value, path: at });
    else {
      const { property, code, message } = read.fault;
      filling.faults.push({ path: property ? `${at}.${property}` : at, code, message });
    }
  }
}

/** Finds the slot of a parameter: by its name where the template has named variables, and otherwise by its place. */
function chooseSlot(
  format: ParameterFormat,
  slots: Slot[],
  { parameter, place, taken }: { parameter: GivenParameter; place: number; taken: Set<Slot> },
): { slot: Slot } | { code: string; message: string } {
  const { parameter_name: name } = parameter;
  const isNamed = slots[0]?.name !== null && slots[0] !== undefined;
  if (!isNamed) {
    const message =
      format === 'NAMED'
        ? 'is only for variables of a text'
        : 'is not allowed here: the variables of the template are numbered';
    const slot = slots[place];
    return name === undefined && slot ? { slot } : { code: 'TYPE_MISMATCH', message };
  }
  const names = slots.map((slot) => slot.name).join(', ');
  if (name === undefined) return { code: 'REQUIRED', message: `is required: the template has the variables ${names}` };
  const slot = slots.find((each) => each.name === name);
  if (!slot) return { code: 'TYPE_MISMATCH', message: `is not a variable of the template, which has ${names}` };
  return taken.has(slot) ? { code: 'INVALID', message: 'is given twice' } : { slot };
}

function findMissing({ shape, filled, faults }: Filling): void {
  const targets = shape.slots.filter((slot) => slot.required && !filled.some((each) => each.slot === slot));
  const [first] = targets;
  if (!first) return;
  const missing = targets.filter((slot) => isOf(slot, first)).length;
  const count = missing === 1 ? 'a value' : `${missing} values`;
  faults.push({ path: '', code: 'COUNT_MISMATCH', message: `must give ${count} for ${describeTarget(first)}` });
}
