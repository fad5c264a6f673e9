/** A body that no operation may take, and the field its refusal must name; null where the status says it all. */
export interface HostileBody {
  readonly how: string
  readonly body: string | Uint8Array
  readonly status: 400 | 413 | 415
  readonly field: string | null
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** The largest body that is taken, as the contract says. */
export const MOST_BODY_BYTES = 256 * 1024
const MOST_DEPTH = 32
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

/** Valid JSON text of an object with one more member written by hand, first or last. */
const withText = (valid: Readonly<Record<string, unknown>>, member: string): string => {
  const text = JSON.stringify(valid)
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`
}

/** Everything hostile that a body can hold, around a body that is valid but for it. */
export function hostileBodies(valid: Readonly<Record<string, unknown>>): HostileBody[] {
  const bad = (how: string, body: string | Uint8Array, field: string | null): HostileBody => ({
    how,
    body,
    status: 400,
    field,
  })
  const text = JSON.stringify(valid)
  const bytes = Buffer.from(text)
  return [
    ...['__proto__', 'constructor', 'prototype'].flatMap((name) => [
      bad(`the name ${name}`, withText(valid, `"${name}":{"admin":true}`), name),
      bad(`the name ${name}, deeper`, withText(valid, `"extra":{"a":[{"${name}":1}]}`), `extra.a[0].${name}`),
    ]),
    bad('the name __proto__, escaped', withText(valid, '"\\u005f_proto__":{"admin":true}'), '__proto__'),
    bad('a name twice', withText(valid, '"extra":1,"extra":1'), 'extra'),
    bad('a name twice, deeper, once escaped', withText(valid, '"extra":[{"a":1,"\\u0061":2}]'), 'extra[0].a'),
    bad('too deep, arrays', withText(valid, `"extra":${nested(MOST_DEPTH, '[', ']')}`), 'body'),
    bad('far too deep', nested(100_000, '[', ']'), 'body'),
    bad('too deep, objects', `${'{"a":'.repeat(MOST_DEPTH + 1)}1${'}'.repeat(MOST_DEPTH + 1)}`, 'body'),
    bad('NUL in a text', withText(valid, '"extra":"a\\u0000b"'), 'extra'),
    bad('NUL in a name', withText(valid, '"a\\u0000b":1'), 'body'),
    bad('a lone surrogate', withText(valid, '"extra":"\\ud800"'), 'extra'),
    bad('a lone surrogate, the other half', withText(valid, '"extra":"x\\udfffy"'), 'extra'),
    bad('a lone surrogate in a name', withText(valid, '"\\udc00":1'), 'body'),
    bad('a number beyond all', withText(valid, '"extra":1e999'), 'extra'),
    bad('a number beyond all, negative', withText(valid, '"extra":[-1e999]'), 'extra[0]'),
    bad(
      'bytes that are no UTF-8',
      Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"extra":"\xff\xfe"}', 'latin1')]),
      'body',
    ),
    bad(
      'an overlong encoding',
      Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"extra":"\xc0\xaf"}', 'latin1')]),
      'body',
    ),
    bad(
      'a surrogate encoded as UTF-8',
      Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"extra":"\xed\xa0\x80"}', 'latin1')]),
      'body',
    ),
    bad('cut short', text.slice(0, -1), 'body'),
    bad('two values', `${text}${text}`, 'body'),
    bad('a comment', `/* */${text}`, 'body'),
    bad('single quotes', "{'a':1}", 'body'),
    bad('NaN', withText(valid, '"extra":NaN'), 'body'),
    bad('a comma too many', `${text.slice(0, -1)},}`, 'body'),
    bad('only white space', ' \n ', 'body'),
    bad('a form', 'title=a&severity=high', 'body'),
    {
      how: 'too large',
      body: withText(valid, `"extra":"${'x'.repeat(MOST_BODY_BYTES)}"`),
      status: 413,
      field: 'body',
    },
    { how: 'too large and no JSON', body: '['.repeat(MOST_BODY_BYTES + 1), status: 413, field: 'body' },
    ...['text/plain', 'application/xml', 'application/jsonp', 'multipart/form-data; boundary=x', ''].map(
      (type) => ({
        how: `the type ${JSON.stringify(type)}`,
        body: text,
        status: 415 as const,
        field: 'Content-Type',
        headers: { 'Content-Type': type },
      }),
    ),
    {
      how: 'two types',
      body: text,
      status: 415,
      field: 'Content-Type',
      headers: { 'Content-Type': ['application/json', 'text/plain'] },
    },
  ]
}

/** Ids that are none: nothing may be read for them, and nothing of them may do harm. */
export const HOSTILE_IDS: readonly string[] = [
  'inc_1',
  'x',
  '../../etc/passwd',
  '..%2f..%2f',
  '%00',
  'inc_\0',
  '__proto__',
  'constructor',
  'null',
  '{"$gt":""}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  `$${'{jndi:ldap://x}'}`,
  'inc_01ARZ3NDEKTSV4RRFFQ69G5FA',
  'inc_01ARZ3NDEKTSV4RRFFQ69G5FAVV',
  'inc_81ARZ3NDEKTSV4RRFFQ69G5FAV',
  'inc_01arz3ndektsv4rrffq69g5fav',
  'INC_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'inc_01ARZ3NDEKTSV4RRFFQ69G5FAV#TIMELINE',
  'inc_01ARZ3NDEKTSV4RRFFQ69G5FAI',
  'bogus_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '\u202einc_',
  '🔥',
  'x'.repeat(10_000),
  ' ',
]
