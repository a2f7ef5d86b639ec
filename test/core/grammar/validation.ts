import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year, month, day] = text.match(/^(\d{4})-(\d\d)-(\d\d)$/)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

function isTime(text: string): boolean {
  const found = text.match(/^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/);
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    found?.slice(1).map((part) => Number(part ?? 0)) ?? [];
  const isInDay = hour < 24 && minute < 60 && second < 60;
  return found !== null && isInDay && offsetHour < 24 && offsetMinute < 60;
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...rest] = text.split('T');
  return rest.length === 0 && isDate(date) && isTime(time) && !Number.isNaN(Date.parse(`${date}T00:00:00Z`));
}

/** Compiles a schema with Ajv in strict mode, without the checks that are mere advice. */
export function createValidator(schema: unknown): ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  ajv.addKeyword('strict');
  ajv.addKeyword('example');
  ajv.addKeyword('x-order');
  ajv.addFormat('date', isDate);
  ajv.addFormat('time', isTime);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/);
  ajv.addFormat('uri', (value: string) => URL.canParse(value));
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  return ajv.compile(typeof schema === 'boolean' ? schema : JSON.parse(JSON.stringify(schema)));
}
