/** A value as the Jinja library holds it. An object's value is a Map, the elements of an array are such values. */
interface JinjaValue {
  type: string;
  value: unknown;
}

/**
 * Functions for the calls that `mendProgram` puts into a template. Each argument is a list of values, since the library
 * then tells their types. As in Python, a method that the value lacks throws an `Error`, which
 * ends the rendering.
 */
export const PYTHON_FUNCTIONS: Record<string, (...args: JinjaValue[][]) => unknown> = {
  py_str: (values) => toStr(values[0]),
  py_min: ([list]) => extreme(list, -1),
  py_max: ([list]) => extreme(list, 1),
  py_items: ([object]) => entriesOf(object).map(([key, value]) => [key, toPlain(value)]),
  py_dictsort: ([object]) =>
    entriesOf(object)
      .map(([key, value]): [unknown, unknown] => [key, toPlain(value)])
      .sort(([some], [other]) => order(some, other)),
  py_item: ([object], [key]) => toPlain(entriesOf(object).find(([name]) => name === key?.value)?.[1]),
  py_append: ([list], [item]) => {
    if (!Array.isArray(list?.value)) throw new Error('append is a method of lists');
    list.value.push(item);
    return null;
  },
  py_pop: ([list], [index]) => {
    if (!Array.isArray(list?.value)) throw new Error('pop is a method of lists');
    return toPlain(list.value.splice(Number(index?.value ?? -1), 1)[0] as JinjaValue | undefined);
  },
  py_format: ([text], values) => format(toStr(text), values ?? []),
  py_repeat: ([text], [times]) => toStr(text).repeat(Math.max(0, Number(times?.value))),
};

/** Returns what Python's `str` returns; '' for an undefined value. */
function toStr(value: JinjaValue | undefined): string {
  if (value === undefined || value.type === 'UndefinedValue') return '';
  return value.type === 'StringValue' ? String(value.value) : repr(value);
}

/** Returns what Python's `repr` returns. */
function repr({ type, value }: JinjaValue): string {
  if (type === 'NullValue') return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return reprText(value);
  if (typeof value === 'number')
    return type === 'FloatValue' && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (value instanceof Map) {
    const members = [...(value as Map<string, JinjaValue>)].map(([key, member]) => `${reprText(key)}: ${repr(member)}`);
    return `{${members.join(', ')}}`;
  }
  if (!Array.isArray(value)) return '';
  const items = (value as JinjaValue[]).map(repr).join(', ');
  return type === 'TupleValue' ? `(${items}${value.length === 1 ? ',' : ''})` : `[${items}]`;
}

/** Python writes a text in single quotes, unless it has single quotes and no double ones. */
function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(quote, `\\${quote}`);
  return quote + escaped + quote;
}

/** Returns the members of an object, or the pairs that stand for an object whose keys are numbers. */
function entriesOf(object: JinjaValue | undefined): [unknown, JinjaValue | undefined][] {
  if (object?.value instanceof Map) return [...(object.value as Map<string, JinjaValue>)];
  if (!Array.isArray(object?.value)) throw new Error('items is a method of dictionaries');
  return (object.value as JinjaValue[]).map((pair) => {
    const [key, value] = pair.value as JinjaValue[];
    return [key?.value, value];
  });
}

function toPlain(value: JinjaValue | undefined): unknown {
  if (value?.type === 'NullValue') return null;
  if (value?.value instanceof Map) {
    const members = [...(value.value as Map<string, JinjaValue>)].map(([key, member]) => [key, toPlain(member)]);
    return Object.fromEntries(members);
  }
  return Array.isArray(value?.value) ? (value.value as JinjaValue[]).map(toPlain) : value?.value;
}

function extreme(list: JinjaValue | undefined, sign: number): unknown {
  const values = Array.isArray(list?.value) ? (list.value as JinjaValue[]).map(toPlain) : [];
  return values.reduce((best, value) => (order(value, best) * sign > 0 ? value : best), values[0]);
}

function order(some: unknown, other: unknown): number {
  if (typeof some === 'number' && typeof other === 'number') return some - other;
  return String(some) < String(other) ? -1 : Number(String(some) > String(other));
}

/** Puts values into the braces of a text, in order or by their numbers. */
function format(text: string, values: JinjaValue[]): string {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\d*)\}/g, (found, number: string | undefined) => {
    if (number === undefined) return found.charAt(0);
    return toStr(values[number === '' ? next++ : Number(number)]);
  });
}
