import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ReplayingAws, startReplayingAws } from './replaying-aws.ts'

/** What stands behind: it counts, so that no two answers are alike. */
let asked = 0
const behind = createServer((message, response) => {
  message.resume()
  message.on('end', () => {
    asked += 1
    const status = message.headers['x-amz-target'] === 'TrentService.Decrypt' ? 400 : 200
    response.writeHead(status, { 'x-amz-crc32': '7' }).end(JSON.stringify({ answer: asked }))
  })
})
let aws: ReplayingAws
beforeAll(async () => {
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`
  aws = await startReplayingAws({ dynamodb: endpoint, rest: endpoint })
})
afterAll(async () => {
  await aws.stop()
  behind.close()
})

async function call(address: string, target: string, body: object = {}) {
  const headers = { 'x-amz-target': target }
  const answer = await fetch(`${address}/`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, crc: answer.headers.get('x-amz-crc32'), body: await answer.json() }
}
const query = (address: string, TableName: string, id: string) =>
  call(address, 'DynamoDB_20120810.Query', { TableName, ExpressionAttributeValues: { ':id': { S: id } } })

describe('answers of AWS that are given again', () => {
  it('are those of the recording, table by table and in their order, whatever ids a process makes', async () => {
    const first = aws.address('list', 'record')
    const recorded = [
      await query(first, 'one', 'a'),
      await query(first, 'one', 'b'),
      await query(first, 'two', 'c'),
      await call(first, 'TrentService.Decrypt'),
    ]
    expect(recorded.map(({ status }) => status)).toEqual([200, 200, 200, 400])
    const before = asked
    for (const id of ['d', 'e']) {
      const again = aws.address('list', 'replay')
      const decrypted = await call(again, 'TrentService.Decrypt')
      const two = await query(again, 'two', id)
      const answers = [await query(again, 'one', id), await query(again, 'one', id), two, decrypted]
      expect(answers).toEqual(recorded)
    }
    expect(asked).toBe(before)
    expect(aws.unknown).toEqual([])
  })

  it('fail, and are told of, where a process asks for what was not recorded', async () => {
    await query(aws.address('get', 'record'), 'one', 'a')
    const again = aws.address('get', 'replay')
    await query(again, 'one', 'a')
    expect((await query(again, 'one', 'a')).status).toBe(500)
    expect((await query(aws.address('other', 'replay'), 'one', 'a')).status).toBe(500)
    // Told by the process that answers, beside its answers.
    const told = () => aws.unknown
    await expect
      .poll(told)
      .toEqual([
        'get DynamoDB_20120810.Query one, the 2. time',
        'other DynamoDB_20120810.Query one, the 1. time',
      ])
  })
})
