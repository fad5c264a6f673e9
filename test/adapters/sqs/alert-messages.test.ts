import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAlertMessage, writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'

const rest = { integration_id: 'webhook_1', config: { a: 1 }, headers: { b: 'c' }, received_at: 7 }
const written = (body: Uint8Array) => writeAlertMessage({ ...rest, body })

describe('a message of a tool', () => {
  it('comes out of the queue as it went in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = written(Buffer.from(JSON.stringify(value))) ?? ''
        expect(readAlertMessage(text)).toEqual({ ...rest, body: JSON.parse(JSON.stringify(value)) })
      }),
    )
  })

  it('says that it only confirms where we asked the tool ourselves, whatever its body says', () => {
    const text = writeAlertMessage({ ...rest, confirms: true, body: Buffer.from('{}') }) ?? ''
    expect(readAlertMessage(text)).toEqual({ ...rest, confirms: true, body: {} })
    const claimed = written(Buffer.from('{"confirms":true}')) ?? ''
    expect(readAlertMessage(claimed)).not.toHaveProperty('confirms')
  })

  it('says nothing when its body is no JSON', () => {
    expect(readAlertMessage(written(Buffer.from('hello')) ?? '').body).toBeNull()
  })

  it('is not written when SQS would not take it', () => {
    expect(written(randomBytes(256 * 1_024))).toBeNull()
    expect(written(Buffer.alloc(256 * 1_024, 'x'))).not.toBeNull()
  })

  it('is refused when it is none, or unpacks to more than any body is', () => {
    expect(() => readAlertMessage('{}')).toThrow('the message is none of a tool')
    const bomb = written(Buffer.alloc(1_024 * 1_024)) ?? ''
    expect(() => readAlertMessage(bomb)).toThrow()
  })
})
