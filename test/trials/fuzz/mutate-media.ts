import type { Dice } from '../../kit/dice.ts';

/** A changed copy of a file, and a description of the change for people. */
export interface MediaMutant {
  file: Buffer;
  change: string;
}

type Change = (file: Buffer, dice: Dice) => MediaMutant;

/** The bytes at the beginning that are changed most often: the headers. */
const HEADER_BYTES = 80;
const NUMBERS = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

const CHANGES: { weight: number; change: Change }[] = [
  { weight: 4, change: changeNumber },
  { weight: 4, change: changeBytes },
  { weight: 2, change: cutOff },
  { weight: 1, change: leaveOut },
  { weight: 1, change: repeat },
  { weight: 1, change: append },
];

/** Changes one to three places of a valid image or recording. The original stays unchanged. */
export function mutateMedia(original: Buffer, dice: Dice): MediaMutant {
  let mutant: MediaMutant = { file: Buffer.from(original), change: '' };
  const changes: string[] = [];
  for (let left = 1 + dice.below(3); left > 0 && mutant.file.length > 8; left--) {
    mutant = dice.weighted(CHANGES).change(Buffer.from(mutant.file), dice);
    changes.push(mutant.change);
  }
  return { file: mutant.file, change: changes.join('; ') };
}

/** Returns a place in the file, of which `bytes` bytes follow: in its header half of the time. */
function placeIn(file: Buffer, bytes: number, dice: Dice): number {
  const end = Math.max(1, file.length - bytes);
  return dice.below(dice.chance(0.5) ? Math.min(HEADER_BYTES, end) : end);
}

function changeNumber(file: Buffer, dice: Dice): MediaMutant {
  const at = placeIn(file, 4, dice);
  const value = dice.pick(NUMBERS);
  if (dice.chance(0.5)) file.writeUInt32LE(value, at);
  else file.writeUInt32BE(value, at);
  return { file, change: `${value} at ${at}` };
}

function changeBytes(file: Buffer, dice: Dice): MediaMutant {
  const count = 1 + dice.below(8);
  const at = placeIn(file, count, dice);
  for (let index = 0; index < count; index++) file[at + index] = dice.below(256);
  return { file, change: `${count} bytes at ${at}` };
}

function cutOff(file: Buffer, dice: Dice): MediaMutant {
  const length = dice.below(file.length);
  return { file: file.subarray(0, length), change: `cut off after ${length} bytes` };
}

function leaveOut(file: Buffer, dice: Dice): MediaMutant {
  const at = dice.below(file.length);
  const length = 1 + dice.below(64);
  return { file: Buffer.concat([file.subarray(0, at), file.subarray(at + length)]), change: `${length} bytes less` };
}

function repeat(file: Buffer, dice: Dice): MediaMutant {
  const at = dice.below(file.length);
  const piece = file.subarray(at, at + 1 + dice.below(512));
  return { file: Buffer.concat([file.subarray(0, at), piece, file.subarray(at)]), change: `a part at ${at} twice` };
}

function append(file: Buffer, dice: Dice): MediaMutant {
  const more = Buffer.from(Array.from({ length: 1 + dice.below(600) }, () => dice.below(256)));
  return { file: Buffer.concat([file, more]), change: `${more.length} bytes more` };
}
