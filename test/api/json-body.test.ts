import { describe, expect, test } from 'vitest';
import { parseJsonBody } from '#api/json/body';
import { numberProblem } from '#api/json/number';
import { ApiProblem } from '#api/problems/problem';

const parse = (text: string) => parseJsonBody(new TextEncoder().encode(text)).value;

function problemsOf(bytes: Uint8Array | string): readonly { pointer?: string; detail: string }[] {
  try {
    return parseJsonBody(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes).problems;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'invalid-request') return error.errors;
    throw error;
  }
}

const pointersOf = (text: string) => problemsOf(text).map(({ pointer }) => pointer);

describe('a JSON body', () => {
  test.each([
    ['{"a":[1,-2.5,1e3,"x",true,null]}', { a: [1, -2.5, 1000, 'x', true, null] }],
    ['  {"":{"constructor":1,"toString":2}} ', { '': { constructor: 1, toString: 2 } }],
    ['\ufeff{"a":1}', { a: 1 }],
    ['', {}],
    [' \n', {}],
    ['null', null],
    ['"\\u0041"', 'A'],
  ])('is read as it stands: %j', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test('keeps the order of keys', () => {
    expect(JSON.stringify(parse('{"b":1,"a":2}'))).toBe('{"b":1,"a":2}');
  });

  test.each([
    '{',
    '{"a":1,}',
    "{'a':1}",
    '[1 2]',
    'nope',
    '{"a":01}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":\t1}x',
    '"\u0001"',
  ])('that is malformed is refused: %j', (text) => {
    expect(pointersOf(text)).toEqual(['']);
  });

  test('that is not UTF-8 is refused', () => {
    expect(problemsOf(Uint8Array.of(0x22, 0xff, 0x22))).toEqual([{ pointer: '', detail: 'must be UTF-8' }]);
    expect(problemsOf(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toHaveLength(1);
  });

  test('names every number that would change, wherever it is', () => {
    const text = '{"a":9007199254740993,"b":[0,{"c/d":1e400}],"e~":[[1.5,9007199254740993.0]],"ok":9007199254740991}';
    expect(pointersOf(text)).toEqual(['/a', '/b/1/c~1d', '/e~0/0/1']);
  });

  test('is not confused by strings that look like structure', () => {
    const text = '{"a":"{\\"b\\":[9007199254740993,","c":["]","\\\\"],"d":9007199254740993}';
    expect(pointersOf(text)).toEqual(['/d']);
  });

  test.each([
    ['{"a":1,"a":2}', ['/a']],
    ['{"x":{"a":1,"b":2,"\\u0061":3}}', ['/x/a']],
    ['[{"a":1},{"a":2}]', []],
    ['{"a":{"a":{"a":1}}}', []],
  ])('with a key given twice names it: %s', (text, pointers) => {
    expect(pointersOf(text)).toEqual(pointers);
  });

  test.each([
    ['{"__proto__":1}', ['/__proto__']],
    ['{"a":[{"\\u005f_proto__":{}}]}', ['/a/0/__proto__']],
  ])('with the key __proto__ names it: %s', (text, pointers) => {
    expect(pointersOf(text)).toEqual(pointers);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([5000, 200_000])('nested %i levels deep is refused, not overflowed', (depth) => {
    expect(problemsOf('['.repeat(depth) + ']'.repeat(depth))).toHaveLength(1);
    expect(problemsOf(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toHaveLength(1);
  });

  test('with very many mistakes names the first twenty', () => {
    expect(problemsOf(`[${Array(100).fill('1e999').join(',')}]`)).toHaveLength(20);
  });

  test('of one long string is read in linear time', () => {
    const long = JSON.stringify({ a: '\\"'.repeat(400_000) });
    const start = performance.now();
    expect(problemsOf(long)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('a JSON number', () => {
  test.each([
    ...[
      '0',
      '1',
      '-1',
      '0.1',
      '-0.5',
      '1.0',
      '1e3',
      '1E+3',
      '0.0001',
      '1e-7',
      '1e300',
      '1e22',
      '1.7976931348623157e308',
    ],
    ...[
      '9007199254740991',
      '-9007199254740991',
      '0.30000000000000004',
      '0.10000000000000001',
      '5e-324',
      '123456.789',
      '0e5',
    ],
    ...['1.00000000000000000000', '100000000000000000000e-10'],
  ])('%s is kept', (token) => {
    expect(numberProblem(token)).toBeUndefined();
  });

  test.each([
    ...['9007199254740992', '9007199254740993', '-9007199254740993', '1970670598291982290', '9007199254740993.0'],
    ...[
      '9007199254740993e0',
      '90071992547409.93e2',
      '1e400',
      '-1e309',
      '1e-400',
      '0.1234567890123456789012',
      '-0',
      '-0.0',
      '-0e1',
    ],
    ...['123456789012345678901234567890', '9007199254740990.5'],
  ])('%s is refused', (token) => {
    expect(numberProblem(token)).toBeTypeOf('string');
  });
});
