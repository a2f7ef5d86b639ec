import { checkedSchemas } from './checked.ts';
import { combinations } from './combinations.ts';
import { members } from './members.ts';
import { plainValues } from './plain-values.ts';
import type { SchemaCase } from './schema-case.ts';
import { structures } from './structures.ts';
import { texts } from './texts.ts';

export const schemaCases: SchemaCase[] = [
  ...plainValues,
  ...texts,
  ...structures,
  ...members,
  ...combinations,
  ...checkedSchemas,
];
