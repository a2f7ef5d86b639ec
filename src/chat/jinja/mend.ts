/** A node of a parsed template. Its fields are values, nodes, and lists and Maps of nodes. */
interface Node {
  type: string;
  [field: string]: unknown;
}

type Rule = (node: Node) => Node;

/** The names of the variables that hold an object whose keys are numbers. */
type NumberedNames = Set<string>;

/** Filters that in Python take an undefined value for an empty text. */
const TEXT_FILTERS = new Set(['trim', 'length', 'upper', 'lower', 'title', 'capitalize', 'replace', 'indent']);
/** Filters that in Python take an undefined value, and None, for an empty list. */
const LIST_FILTERS = new Set(['selectattr', 'rejectattr', 'select', 'reject', 'map', 'list', 'join', 'unique']);

/**
 * Changes a parsed template in place, so that the library renders it as Python's jinja2 does: loops over undefined
 * values, the texts of dictionaries and None, and methods and filters that the library lacks.
 */
export function mendProgram(program: object): void {
  const root = program as Node;
  const numbered: NumberedNames = new Set();
  const rules: Record<string, Rule> = {
    For: mendLoop,
    SelectExpression: (node) => ({ ...node, lhs: withDefault(node.lhs as Node, '[]') }),
    FilterExpression: mendFilter,
    CallExpression: mendCall,
    BinaryExpression: mendOperator,
    ArrayLiteral: (node) => ({ ...node, value: (node.value as Node[]).map(asList) }),
    ObjectLiteral: mendObject,
    MemberExpression: (node) => mendMember(node, numbered),
  };
  findNumbered(root, numbered);
  mendChildren(root, rules);
}

function mendChildren(node: Node, rules: Record<string, Rule>): void {
  for (const [field, value] of Object.entries(node)) {
    const isBody = field === 'body' || field === 'alternate' || field === 'defaultBlock';
    if (Array.isArray(value)) {
      node[field] = value.map((item) => (isNode(item) ? mended(item, rules, isBody) : item));
    } else if (value instanceof Map) {
      node[field] = new Map([...value].map(([key, member]) => [mended(key, rules), mended(member, rules)]));
    } else if (isNode(value)) {
      node[field] = mended(value, rules);
    }
  }
}

/** Mends a node and its children. `isShown` is true for a node in a body, whose value becomes text. */
function mended(node: Node, rules: Record<string, Rule>, isShown = false): Node {
  mendChildren(node, rules);
  const better = rules[node.type]?.(node) ?? node;
  return isShown && SHOWN.has(node.type) ? call('py_str', [better]) : better;
}

/** The nodes whose values may be other than text. The others are statements, literals and calls of macros. */
const SHOWN = new Set(['Identifier', 'MemberExpression', 'FilterExpression', 'Ternary', 'BinaryExpression']);

/** A loop with a condition has the list inside a `SelectExpression`. */
function mendLoop(node: Node): Node {
  const list = node.iterable as Node;
  return list.type === 'SelectExpression' ? node : { ...node, iterable: withDefault(list, '[]') };
}

function mendFilter(node: Node): Node {
  const filter = node.filter as Node;
  const name = (filter.type === 'CallExpression' ? (filter.callee as Node) : filter).value as string;
  const operand = node.operand as Node;
  if (name === 'string') return call('py_str', [operand]);
  if (name === 'min' || name === 'max' || name === 'items') return call(`py_${name}`, [operand]);
  if (name === 'dictsort' && filter.type === 'Identifier') return call('py_dictsort', [operand]);
  if (TEXT_FILTERS.has(name)) return { ...node, operand: withDefault(operand, "''") };
  return LIST_FILTERS.has(name) ? { ...node, operand: withDefault(operand, '[] or None') } : node;
}

function mendCall(node: Node): Node {
  const callee = node.callee as Node;
  const args = node.args as Node[];
  if (callee.type !== 'MemberExpression' || callee.computed) return node;
  const method = (callee.property as Node).value;
  const object = callee.object as Node;
  if ((method === 'append' && args.length === 1) || method === 'pop') return call(`py_${method}`, [object], args);
  if (method === 'format') return call('py_format', [object], args);
  // A dictionary may have a member with this name, which is not the method.
  return method === 'items' && args.length === 0 ? call('py_items', [object]) : node;
}

function mendOperator(node: Node): Node {
  const [left, right] = [node.left as Node, node.right as Node];
  const operator = (node.operator as { value: string }).value;
  if (operator === '~') return { ...node, left: call('py_str', [left]), right: call('py_str', [right]) };
  return operator === '*' && left.type === 'StringLiteral' ? call('py_repeat', [left], [right]) : node;
}

/** An object whose keys are numbers becomes a list of pairs. */
function mendObject(node: Node): Node {
  if (!hasNumbers(node)) return node;
  const pairs = [...(node.value as Map<Node, Node>)].map((pair) => ({ type: 'ArrayLiteral', value: pair }));
  return { type: 'ArrayLiteral', value: pairs };
}

function mendMember(node: Node, numbered: NumberedNames): Node {
  const object = node.object as Node;
  const isNumbered = node.computed && object.type === 'Identifier' && numbered.has(object.value as string);
  const property = node.property as Node;
  if (isNumbered) return call('py_item', [object], [property]);
  return node.computed && KEYS.has(property.type) ? ifKey(node, property) : node;
}

/** The nodes whose values may be no keys. */
const KEYS = new Set(['Identifier', 'MemberExpression', 'CallExpression', 'FilterExpression']);

/** Python takes a member that no key can name for an undefined value. */
function ifKey(node: Node, property: Node): Node {
  const is = (name: string) => ({ type: 'TestExpression', operand: property, negate: false, test: identifier(name) });
  const condition = { type: 'BinaryExpression', operator: { value: 'or' }, left: is('string'), right: is('number') };
  return { type: 'Ternary', condition, trueExpr: node, falseExpr: identifier('py_undefined') };
}

function findNumbered(node: Node, names: NumberedNames): void {
  const value = node.type === 'Set' ? (node.value as Node | null) : null;
  if (value?.type === 'ObjectLiteral' && hasNumbers(value)) names.add((node.assignee as Node).value as string);
  for (const field of Object.values(node)) {
    if (Array.isArray(field)) for (const item of field) if (isNode(item)) findNumbered(item, names);
    if (isNode(field)) findNumbered(field, names);
  }
}

function hasNumbers({ value }: Node): boolean {
  return [...(value as Map<Node, Node>).keys()].some(({ type }) => type === 'IntegerLiteral');
}

/** The library unpacks lists only. */
function asList(node: Node): Node {
  return node.type === 'TupleLiteral' ? { ...node, type: 'ArrayLiteral' } : node;
}

function withDefault(operand: Node, value: "''" | '[]' | '[] or None'): Node {
  const empty = value === "''" ? { type: 'StringLiteral', value: '' } : { type: 'ArrayLiteral', value: [] };
  const flag = value === '[] or None' ? [identifier('true')] : [];
  const filter = { type: 'CallExpression', callee: identifier('default'), args: [empty, ...flag] };
  return { type: 'FilterExpression', operand, filter };
}

function call(name: string, ...args: Node[][]): Node {
  const lists = args.map((value) => ({ type: 'ArrayLiteral', value }));
  return { type: 'CallExpression', callee: identifier(name), args: lists };
}

function identifier(value: string): Node {
  return { type: 'Identifier', value };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
