/** A fault planted into the edge: one text of a file of `shared/edge` replaced by another. */
export interface PlantedFault {
  readonly what: string
  readonly file: string
  readonly from: string
  readonly to: string
}

/** What could go wrong at the edge with nobody noticing. The tests of the edge must notice each. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    what: 'a key may be given twice',
    file: 'authenticate.ts',
    from: 'if (header === undefined || more.length > 0) return null',
    to: 'if (header === undefined) return null',
  },
  {
    what: 'another scheme than Bearer is taken',
    file: 'authenticate.ts',
    from: '/^Bearer +(\\S+)$/i',
    to: '/^\\w+ +(\\S+)$/i',
  },
  {
    what: 'a malformed key is looked up',
    file: 'authenticate.ts',
    from: 'return read === null ? null : { text, type: read.type }',
    to: "return { text, type: read?.type ?? 'admin' }",
  },
  {
    what: 'unknown keys are tried without end',
    file: 'authenticate.ts',
    from: 'if (credential === null || !gate.seen(credential.text)) {',
    to: 'if (false) {',
  },
  {
    what: 'a request without a key is not counted',
    file: 'authenticate.ts',
    from: 'if (credential === null) throw unauthorized(allowance.take(address, now).rate)',
    to: 'if (credential === null) throw unauthorized(allowance.state(address, now))',
  },
  {
    what: 'a 401 does not say how to sign in',
    file: 'authenticate.ts',
    from: "'WWW-Authenticate': 'Bearer',",
    to: '',
  },
  {
    what: 'a 429 does not say when to come back',
    file: 'authenticate.ts',
    from: "'Retry-After': String(retryAfter(rate, now)),",
    to: '',
  },
  {
    what: 'a key that is used up is let in',
    file: 'authenticate.ts',
    from: 'throw limited(admission.rate, now)',
    to: "return { caller: { id: 'key', type: credential.type }, rate: admission.rate }",
  },
  {
    what: 'the allowance never ends',
    file: 'allowance.ts',
    from: 'used <= this.#limit',
    to: 'used >= 0',
  },
  {
    what: 'the allowance is shared by all addresses',
    file: 'allowance.ts',
    from: 'this.#used.set(name, used)',
    to: "this.#used.set('', used)",
  },
  { what: 'the allowance is not given anew', file: 'allowance.ts', from: 'this.#used.clear()', to: '' },
  {
    what: 'every key may do everything',
    file: 'endpoint.ts',
    from: 'if (!mayCall(operation, internal.admitted.caller.type)) {',
    to: 'if (false) {',
  },
  {
    what: 'a read begins before the key is known',
    file: 'endpoint.ts',
    from: 'if (known && operation.method',
    to: 'if (credential !== null && operation.method',
  },
  {
    what: 'a write begins before the key is admitted',
    file: 'endpoint.ts',
    from: "if (known && operation.method === 'GET' &&",
    to: 'if (known &&',
  },
  {
    what: 'unknown parameters are taken',
    file: 'endpoint.ts',
    from: "validateNothing(parameters, 'query')",
    to: '{}',
  },
  {
    what: 'the last of repeated parameters wins',
    file: 'endpoint.ts',
    from: "if (more.length > 0) throw invalidField(name, 'must be given once')",
    to: '',
  },
  {
    what: 'any type of content is taken',
    file: 'endpoint.ts',
    from: "!/^application\\/json\\s*(;|$)/i.test(type ?? '')",
    to: 'false',
  },
  {
    what: 'ids of any form are read',
    file: 'endpoint.ts',
    from: '!operation.idPrefixes.some((prefix) => isId(id, prefix))',
    to: 'false',
  },
  {
    what: 'any id of a request is echoed',
    file: 'endpoint.ts',
    from: 'const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/',
    to: 'const REQUEST_ID = /[^]/',
  },
  {
    what: 'no deadline is told',
    file: 'endpoint.ts',
    from: 'context.getRemainingTimeInMillis() - ANSWER_MARGIN_MS',
    to: '1e9',
  },
  {
    what: 'a path that exists is not found by another method',
    file: 'endpoint.ts',
    from: "if (allowed.length === 0) throw notFound('This path')",
    to: "throw notFound('This path')",
  },
  {
    what: 'an unforeseen error is shown',
    file: 'render.ts',
    from: "message: 'The service failed to answer. Quote the request id when you report it.',",
    to: 'message: String((error as Error)?.message),',
  },
  { what: 'an answer may be cached', file: 'render.ts', from: "'Cache-Control': 'no-store',", to: '' },
  { what: 'an answer says nothing of the limit', file: 'render.ts', from: '...rateHeaders(rate),', to: '' },
  {
    what: 'an error of a refusal loses its headers',
    file: 'render.ts',
    from: '{ body, headers: error.headers }',
    to: '{ body }',
  },
  {
    what: 'bodies of any size are read',
    file: 'read-body.ts',
    from: 'if (bytes.length > most) {',
    to: 'if (false) {',
  },
  {
    what: 'bodies of any depth are read',
    file: 'read-body.ts',
    from: 'if (depth > MOST_DEPTH) return null',
    to: '',
  },
  {
    what: 'brackets in a text count as depth',
    file: 'read-body.ts',
    from: 'else if (byte === BYTE.quote) inString = false',
    to: '',
  },
  {
    what: 'a prototype may be named',
    file: 'read-body.ts',
    from: 'if (FORBIDDEN_KEYS.has(key))',
    to: 'if (false)',
  },
  {
    what: 'NUL passes',
    file: 'read-body.ts',
    from: "if (text.includes('\\0')) return 'must not hold the NUL character'",
    to: '',
  },
  {
    what: 'lone surrogates pass',
    file: 'read-body.ts',
    from: "if (!text.isWellFormed()) return 'must be well-formed Unicode'",
    to: '',
  },
  { what: 'infinity passes', file: 'read-body.ts', from: 'if (!Number.isFinite(value))', to: 'if (false)' },
  {
    what: 'a name may be given twice',
    file: 'read-body.ts',
    from: "if (refuseHostile(value, '') < members) {",
    to: "if (refuseHostile(value, '') < 0) {",
  },
  {
    what: 'a name that is written with escapes is another one',
    file: 'repeated-names.ts',
    from: 'const name = JSON.parse(json.slice(index, end + 1)) as string',
    to: 'const name = json.slice(index + 1, end)',
  },
  {
    what: 'bytes that are no UTF-8 pass',
    file: 'read-body.ts',
    from: '{ fatal: true }',
    to: '{ fatal: false }',
  },
  {
    what: 'a cursor is not signed',
    file: 'cursor.ts',
    from: '!timingSafeEqual(macOf(key, scopeOf(list, filters), payload), mac)',
    to: 'false',
  },
  {
    what: 'a cursor serves other filters',
    file: 'cursor.ts',
    from: "name !== 'cursor' && name !== 'limit' && value !== undefined",
    to: 'false',
  },
  {
    what: 'a cursor never grows old',
    file: 'cursor.ts',
    from: 'if (now - writtenAt > CURSOR_AGE_MS) throw refused()',
    to: '',
  },
  {
    what: 'a cursor has several spellings',
    file: 'cursor.ts',
    from: " || bytes.toString('base64url') !== cursor",
    to: '',
  },
  {
    what: 'what is wrong is logged word for word',
    file: 'log.ts',
    from: '{ error_name: error.name, error_at: frames(error) }',
    to: '{ error_name: error.name, error_at: error.stack ?? "" }',
  },
  {
    what: 'hostile text reaches the terminal',
    file: 'log.ts',
    from: 'harmless(line)',
    to: 'line',
  },
  {
    what: 'a message that fails is lost',
    file: 'worker.ts',
    from: 'batchItemFailures.push({ itemIdentifier: messageId })',
    to: '',
  },
  {
    what: 'one message that fails takes the others along',
    file: 'worker.ts',
    from: "        log('error', 'batch_item_failed', { worker: name, message_id: messageId }, error)\n        batchItemFailures",
    to: '        throw error\n        batchItemFailures',
  },
  {
    what: 'a batch of the stream that fails is passed over',
    file: 'worker.ts',
    from: '{ worker: name, items: changes.length }, error)\n      throw error',
    to: '{ worker: name, items: changes.length }, error)',
  },
  {
    what: 'any message is a doorbell',
    file: 'worker.ts',
    from: "if (typeof id !== 'string' || !isId(id, 'inc'))",
    to: "if (typeof id !== 'string')",
  },
]
