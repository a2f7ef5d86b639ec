const FORMS = 'must be a string, an array of strings, an array of token ids or an array of such arrays';

/**
 * Values that are not valid as the input of any endpoint that takes texts: the value, where it is wrong, and a part of
 * the error.
 */
export const REFUSED_INPUTS: [input: unknown, place: string, message: string][] = [
  [undefined, '', 'is required'],
  [null, '', FORMS],
  [5, '', FORMS],
  [true, '', FORMS],
  [{}, '', FORMS],
  ['', '', 'must not be empty'],
  [[], '', 'must not be empty'],
  [[''], '[0]', 'must not be empty'],
  [['a', ''], '[1]', 'must not be empty'],
  [['a', 5], '[1]', 'must be a string'],
  [['a', null], '[1]', 'must be a string'],
  [[null], '', FORMS],
  [[{}], '', FORMS],
  [[5, 'a'], '[1]', 'must be an integer between 0 and 2147483647'],
  [[-1], '[0]', 'must be an integer between 0 and 2147483647'],
  [[1.5], '[0]', 'must be an integer between 0 and 2147483647'],
  [[2 ** 31], '[0]', 'must be an integer between 0 and 2147483647'],
  [[[]], '[0]', 'must not be empty'],
  [[[1], []], '[1]', 'must not be empty'],
  [[[1], [2, 'a']], '[1][1]', 'must be an integer between 0 and 2147483647'],
  [[[1], 'a'], '[1]', 'must be an array of token ids'],
];
