import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#domain/json/canonical';
import { escapePointer, fitsJsonBytes, type JsonValue, jsonProblems, MAX_DEPTH } from '#domain/json/value';

describe('canonical JSON', () => {
  it('writes the sample of RFC 8785, section 3.2.2', () => {
    const sample = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`) as JsonValue;
    expect(canonicalJson(sample)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts members as RFC 8785, section 3.2.3: by UTF-16 code units', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(Object.values(JSON.parse(canonicalJson(sample)) as Record<string, string>).slice(1)).toEqual([
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
    expect(canonicalJson(sample).indexOf('"\\r"')).toBe(1);
  });

  // Appendix B of RFC 8785: the bits of a double, and its text.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  it('writes text and keys as ECMAScript does, escapes and halves of surrogate pairs among them', () => {
    const letter = fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udc00', '😀'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(letter), (letters) => {
        const text = letters.join('');
        expect(canonicalJson({ [text]: text })).toBe(JSON.stringify({ [text]: text }));
      }),
    );
  });

  it('does not depend on the order in which members were written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value as JsonValue))).toBe(canonicalJson(value as JsonValue));
      }),
    );
  });

  it('keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(JSON.parse(canonicalJson(value as JsonValue))).toEqual(plain);
      }),
    );
  });
});

describe('what JSON cannot carry unchanged', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  it.each<[string, unknown, string[]]>([
    ['NaN', { a: Number.NaN }, ['/a']],
    ['infinity', [1, Number.POSITIVE_INFINITY], ['/1']],
    ['undefined', { a: undefined }, ['/a']],
    ['a function', { a: () => 1 }, ['/a']],
    ['a symbol', [Symbol('s')], ['/0']],
    ['a bigint', { a: { b: 1n } }, ['/a/b']],
    ['a date', { at: new Date(0) }, ['/at']],
    ['a map', { m: new Map() }, ['/m']],
    ['a class of its own', { u: new URL('http://localhost') }, ['/u']],
    ['NUL in text', { a: 'x\u0000y' }, ['/a']],
    ['NUL in a key', { 'x\u0000': 1 }, ['/x\u0000']],
    ['half a surrogate pair', ['\ud800'], ['/0']],
    ['half a surrogate pair in a key', { 'a\udc00b': 1 }, ['/a\ufffdb']],
    ['__proto__ as a key', JSON.parse('{"a": {"__proto__": {"polluted": true}}}'), ['/a/__proto__']],
    ['keys that have to be escaped', { 'a/b~c': Number.NaN }, ['/a~1b~0c']],
    ['several at once', { a: Number.NaN, b: { c: ['ok', '\ud800'] }, d: 1n }, ['/a', '/b/c/1', '/d']],
    ['a hole in a list', withHole(), ['/1']],
  ])('%s is named by its pointer', (_, value, pointers) => {
    expect(jsonProblems(value).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a lone true', true],
    ['text with an emoji', '\ud83d\ude00'],
    ['the empty key', { '': 1 }],
    ['names that objects have anyway', { constructor: { prototype: 1 }, toString: 'x', hasOwnProperty: null }],
    ['large and small numbers', [1e308, 5e-324, Number.MAX_SAFE_INTEGER, -0.1]],
    ['an object without prototype', Object.create(null)],
    ['the deepest nesting that is allowed', nested(MAX_DEPTH)],
  ])('%s is no such thing', (_, value) => {
    expect(jsonProblems(value)).toEqual([]);
  });

  it('is too deep nesting, too, and a circle ends there', () => {
    expect(jsonProblems(nested(MAX_DEPTH + 1))).toHaveLength(1);
    expect(jsonProblems(nested(5000))).toHaveLength(1);
    expect(jsonProblems(circular)).toHaveLength(1);
  });

  it('is found in time in an object that contains itself many times over', () => {
    const knot: Record<string, unknown> = {};
    for (const key of ['a', 'b', 'c']) knot[key] = knot;
    expect(jsonProblems(knot).length).toBeGreaterThan(0);
  });

  it('is told at most 20 times', () => {
    expect(jsonProblems(Array.from({ length: 1000 }, () => Number.NaN))).toHaveLength(20);
  });

  it('is nothing that comes out of JSON text, but for a key that is named so', () => {
    const isNamedSo = (value: unknown) => JSON.stringify(value).includes('"__proto__":');
    fc.assert(fc.property(fc.jsonValue(), (value) => isNamedSo(value) || jsonProblems(value).length === 0));
  });
});

describe('sizes and pointers', () => {
  it('counts bytes of UTF-8', () => {
    for (const letters of ['e', 'é', '€', '😀']) {
      for (const value of [letters, { a: letters.repeat(300) }]) {
        const bytes = Buffer.byteLength(JSON.stringify(value));
        expect([fitsJsonBytes(value, bytes), fitsJsonBytes(value, bytes - 1)]).toEqual([true, false]);
      }
    }
  });

  it('escapes a token as RFC 6901 does', () => {
    expect(escapePointer('m~n/o')).toBe('m~0n~1o');
    expect(escapePointer('~1')).toBe('~01');
  });
});

function withHole(): unknown[] {
  const list: unknown[] = [1];
  list[2] = 2;
  return list;
}

/** So many objects within each other. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  const object = value as { readonly [key: string]: JsonValue };
  return Object.fromEntries(
    Object.keys(object)
      .reverse()
      .map((key) => [key, reversed(object[key] as JsonValue)]),
  );
}
