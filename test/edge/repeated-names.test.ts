import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson, requireJson } from '#shared/edge/read-body.ts'
import { repeatedName } from '#shared/edge/repeated-names.ts'

describe('a name that an object has twice', () => {
  it.each([
    ['at the top', '{"a":1,"a":2}', 'a'],
    ['with the same value', '{"a":1,"a":1}', 'a'],
    ['the first of several', '{"a":1,"b":1,"b":2,"a":2}', 'b'],
    ['in an object within', '{"a":{"b":{"c":1,"d":2,"c":3}}}', 'a.b.c'],
    ['in an array', '{"a":[0,[1,2],{"b":[{},{"c":1,"c":1}]}]}', 'a[2].b[1].c'],
    ['in an array at the top', '[{"a":1},{"a":1,"a":2}]', '[1].a'],
    ['after objects of its own', '{"a":{"a":[{"a":1}]},"b":[{"a":2}],"a":3}', 'a'],
    ['spelled with escapes', '{"a":1,"\\u0061":2}', 'a'],
    ['spelled with other escapes', '{"/\\t\\n":1,"\\/\\u0009\\u000A":2}', '/\t\n'],
    ['spelled with two halves', '{"\u{1f525}":1,"\\ud83d\\udd25":2}', '\u{1f525}'],
    ['with a quote in it', '{"\\"":1,"b":"\\\\","\\u0022":2}', '"'],
    ['that is empty', '{"a":{"":1,"":2}}', 'a.""'],
    ['that is empty, at the top', '{"":1,"":2}', '""'],
    ['that every object has', '{"toString":1,"toString":2}', 'toString'],
    ['with white space between', ' {\n"a"\t: [ ] ,\r\n "a" : { } } ', 'a'],
    ['of which all but the last are lost with all they hold', '{"a":{"b":1,"b":2},"a":{}}', 'a.b'],
  ])('is told with its path: %s', (_name, json, path) => {
    expect(repeatedName(json)).toBe(path)
    expect(() => readJson(Buffer.from(json))).toThrow(`${path}: must be given once`)
  })

  it.each([
    ['objects beside each other', '[{"a":1},{"a":1}]'],
    ['an object within', '{"a":{"a":{"a":1}}}'],
    ['a value', '{"a":"a","b":"a"}'],
    ['a text that looks like members', '{"a":"\\",\\"a\\":1,\\"a\\":2","b":["a","a"]}'],
    ['a name that differs in its case', '{"a":1,"A":2}'],
    ['a name that only looks alike', '{"\u00e9":1,"e\u0301":2}'],
    ['an escaped backslash before a letter', '{"\\\\u0061":1,"a":2}'],
    ['colons and brackets in texts', '{"a:b":"{:}","c":[":",":"]}'],
    ['no object', '[1,[2,"a:"],"a"]'],
  ])('is none in %s', (_name, json) => {
    expect(repeatedName(json)).toBeNull()
    expect(readJson(Buffer.from(json))).toEqual(JSON.parse(json))
  })

  it('is found wherever it is put, and nowhere else', () => {
    // Not beside a name that is a backslash: V8 of Node 24.21 then reads the name of an escaped quote as that one.
    const unnamed = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string().filter((text) => !text.includes('\0')),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '"', ':', '', '}', ','), tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(unnamed, unnamed, (value, lost) => {
        const json = JSON.stringify(value)
        expect(repeatedName(json)).toBeNull()
        expect(readJson(Buffer.from(json))).toEqual(value)
        const twice = `{"kept":${JSON.stringify(lost)},"x":${json},"kept":${json}}`
        expect(repeatedName(twice)).toBe('kept')
        expect(() => readJson(Buffer.from(`[${twice}]`))).toThrow('[0].kept: must be given once')
      }),
    )
  })

  it('is looked for without recursion, however deep and large', () => {
    const deep = 100_000
    expect(repeatedName(`${'['.repeat(deep)}{"a":1,"a":2}${']'.repeat(deep)}`)).toBe(
      `${'[0]'.repeat(deep)}.a`,
    )
    const members = Array.from({ length: deep }, (_, index) => `"n${index}":${index}`).join(',')
    expect(repeatedName(`{${members}}`)).toBeNull()
    expect(repeatedName(`{${members},"n7":0}`)).toBe('n7')
  })

  it('says nothing of a name that no answer can hold', () => {
    const json = '{"a":{"\\ud800":1,"\\ud800":2},"a":1}'
    expect(() => readJson(Buffer.from(json))).toThrow('body: names must be well-formed Unicode')
  })

  it('that would reach the prototype is refused as such', () => {
    const json = '{"__proto__":1,"\\u005f_proto__":2}'
    expect(() => readJson(Buffer.from(json))).toThrow('__proto__: is not an allowed name')
  })

  it('is taken in what tools send, whose form is theirs', () => {
    expect(() => requireJson(Buffer.from('{"a":1,"a":2}'))).not.toThrow()
  })
})
