import { inside, isRecord, own, type SchemaObject } from '../../contract/json-schema.ts';
import type { Subject } from './subject.ts';

/** Checks the members of an object by the keywords that hold schemas for them. */
export function checkMembers(subject: Subject, matches: (pattern: string, text: string) => boolean): boolean {
  const { schema, place, value, path, check, report, must } = subject;
  if (!isRecord(value)) return true;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const patterns = isRecord(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  const results = Object.entries(value).flatMap(([name, member]) => {
    const places = patterns
      .filter((pattern) => matches(pattern, name))
      .map((pattern) => inside(place, 'patternProperties', pattern));
    if (Object.hasOwn(properties, name)) places.push(inside(place, 'properties', name));
    if (places.length === 0 && schema.additionalProperties !== undefined) {
      places.push(inside(place, 'additionalProperties'));
    }
    const hasName = schema.propertyNames === undefined || check(inside(place, 'propertyNames'), name);
    return [
      must(hasName, 'propertyNames', `must not have the property ${JSON.stringify(name)}`),
      ...places.map((one) => check(one, member, inside({ schema: value, path }, name).path, report)),
    ];
  });
  return [...results, ...checkDependencies(subject, value)].every(Boolean);
}

/**
 * Checks the keywords that apply if a property is present: `dependentRequired`, `dependentSchemas` and `dependencies`.
 */
function checkDependencies({ schema, place, path, check, report, must }: Subject, value: SchemaObject): boolean[] {
  return ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const dependencies = isRecord(schema[keyword]) ? schema[keyword] : {};
    const present = Object.keys(dependencies).filter((name) => Object.hasOwn(value, name));
    return present.map((name) => {
      const needed = own(dependencies, name);
      if (!Array.isArray(needed)) return check(inside(place, keyword, name), value, path, report);
      const missing = needed.find((other) => !Object.hasOwn(value, String(other)));
      const names = `${JSON.stringify(missing)} beside ${JSON.stringify(name)}`;
      return must(missing === undefined, keyword, `must have the property ${names}`);
    });
  });
}

/** Checks the items of an array by the keywords that hold schemas for them. */
export function checkItems({ schema, place, value, path, check, report, must }: Subject): boolean {
  if (!Array.isArray(value)) return true;
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
  const results = value.map((item, index) => {
    if (index < first) return check(inside(place, 'prefixItems', index), item, `${path}/${index}`, report);
    return schema.items === undefined || check(inside(place, 'items'), item, `${path}/${index}`, report);
  });
  if (schema.contains === undefined) return results.every(Boolean);
  const found = value.filter((item) => check(inside(place, 'contains'), item)).length;
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  const isEnough = must(found >= Number(minContains), 'contains', `must have ${minContains} items that fit the schema`);
  const isFew = must(found <= Number(maxContains), 'maxContains', `must have ${maxContains} such items at most`);
  return isEnough && isFew && results.every(Boolean);
}
