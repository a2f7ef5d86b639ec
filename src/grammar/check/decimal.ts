/** A number as `digits` / 10^`places`, exactly as JavaScript writes it. */
export interface Decimal {
  digits: bigint;
  places: number;
}

/** Most decimal places that are worked with: the smallest double has 324. */
const MAX_PLACES = 400;

/** Writes a finite number out: 1.5e-3 is 15 / 10^4. `places` is never negative. */
export function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

/** True if `value` is a multiple of `step`, both taken as the decimal numbers that they are written as. */
export function isMultiple(value: number, step: number): boolean {
  const [some, other] = [toDecimal(value), toDecimal(step)];
  const places = Math.min(MAX_PLACES, Math.max(some.places, other.places));
  const scaled = ({ digits, places: own }: Decimal) => digits * 10n ** BigInt(places - own);
  return step > 0 && scaled(some) % scaled(other) === 0n;
}
