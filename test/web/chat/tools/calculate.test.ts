import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate } from '../../../../web/chat/tools/calculate.ts';
import { cpuMs } from '../../../kit/cpu-ms.ts';
import { repeats } from '../../../support/repeats.ts';

describe('the calculator', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['-2^2', '-4'],
    ['2^3^2', '512'],
    ['2 ** -1', '0.5'],
    ['(1 + 2) * -3 / 4', '-2.25'],
    ['5 × 3 ÷ 2 − 1', '6.5'],
    ['15% * 80', '12'],
    ['20!', '2432902008176640000'],
    ['2^200', '1606938044258990275541962092341162602522202993782792835301376'],
    ['12345678901234567890 * 98765432109876543210', '1219326311370217952237463801111263526900'],
    ['10^200', '1e+200'],
    ['sqrt(16) + cbrt(27)', '7'],
    ['log10(1000) + log2(8) + log(9, 3)', '8'],
    ['mod(-7, 3)', '2'],
    ['round(2.345, 2)', '2.35'],
    ['max(1, 3, 2) - min(4, 2)', '1'],
    ['floor(-1.5) + ceil(1.2) + trunc(-1.9)', '-1'],
    ['1.5e3', '1500'],
    ['abs(-4)', '4'],
  ])('computes %s exactly', (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  it.each([
    ['1/3', /^about 0\.3{34} /],
    ['1/3*3', /^about 1 /],
    ['floor(1/3*3)', /^about 1 /],
    ['sqrt(2)^2', /^about 2 /],
    ['sin(pi)', /^about 0 /],
    ['cos(radians(60))', /^about 0\.5 /],
    ['exp(1)', /^about 2\.718281828459045235360287471352662 /],
    ['2^500', /^about 3\.273390607896141870013189696827599e\+150 /],
  ])('says that %s was rounded', (expression, result) => {
    expect(calculate(expression)).toMatch(result);
  });

  it.each([
    ['', 'empty'],
    ['1/0', 'divides by zero'],
    ['0^-1', 'divides by zero'],
    ['mod(7, 0)', 'divides by zero'],
    ['9^9^9', 'too large'],
    ['ln(0)', 'no limit'],
    ['sqrt(-1)', 'not a real number'],
    ['acos(2)', 'not a real number'],
    ['10^200 + 1 - 10^200', 'too different in size'],
    ['1/3*3 - 1', 'too close'],
    ['(10^70 + 1)^2 - 10^140', 'too close'],
    ['10^70 + 1/3', 'too different in size'],
    ['mod(2^500, 7)', 'too many digits'],
    ['tan(pi/2)', 'no value'],
    ['sin(10^20)', 'angle is too large'],
    ['1001!', 'from 0 to 1000'],
    ['0.5!', 'whole number'],
    ['7 % 3', 'mod(a, b)'],
    ['1,234 + 1', 'without commas'],
    ['log(8)', 'needs a base'],
    ['max()', 'character 5'],
    ['mod(1)', 'takes 2 numbers, not 1'],
    ['2(3)', 'character 2'],
    ['(1 + 2', 'not the end'],
    ['x + 1', '“x” at character 1 is not known'],
    ['constructor', 'not known'],
    ['alert(1)', 'not known'],
    ['1 = 1', 'an operator'],
    ['1'.repeat(1001), 'longer than 1000'],
  ])('says why it can not compute %j', (expression, why) => {
    expect(() => calculate(expression)).toThrow(why);
  });

  it('answers every expression within a second, with a number or a reason', () => {
    const parts = [
      '1',
      '2.5',
      '9e99',
      'pi',
      '+',
      '-',
      '*',
      '/',
      '^',
      '!',
      '%',
      '(',
      ')',
      ',',
      'sin(',
      'exp(',
      'mod(',
      'x',
    ];
    const expressions = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join(''));
    fc.assert(
      fc.property(expressions, (expression) => {
        const began = cpuMs();
        try {
          expect(calculate(expression)).toMatch(/^(?:about )?-?\d/);
        } catch (error) {
          expect((error as Error).message).not.toMatch(/DecimalError|undefined|is not a function/);
        }
        expect(cpuMs() - began).toBeLessThan(1000);
      }),
      { numRuns: repeats(2000, 8000) },
    );
  });

  it('agrees with whole numbers of any length', () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        expect(calculate(`(${a}) * (${b}) + (${a})`)).toBe(String(a * b + a));
        expect(calculate(`(${a}) - (${b})`)).toBe(String(a - b));
      }),
    );
  });
});
