import { combinations } from './combinations.ts';
import { plainValues } from './plain-values.ts';
import type { SchemaCase } from './schema-case.ts';
import { structures } from './structures.ts';

export const schemaCases: SchemaCase[] = [...plainValues, ...structures, ...combinations];
