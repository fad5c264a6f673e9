import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../docs/webhooks.md', import.meta.url), 'utf8')
const [table = ''] = page.slice(page.indexOf('| feature |')).split('\n\n')
const rows = table
  .split('\n')
  .slice(2)
  .map((row) => row.split(' | '))
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>
}
const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts') && !file.includes('webhooks-documentation'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

describe('the table of features', () => {
  it('has a row for each feature of the field', () => {
    expect(rows.length).toBeGreaterThanOrEqual(24)
  })

  it.each(rows.map(([feature = '', ours = '']) => [feature.replace('| ', ''), ours] as const))(
    'names a test that there is: %s',
    (_feature, ours) => {
      const name = /^`(.+)`$/.exec(ours)?.[1]
      expect(name).toBeDefined()
      expect(tests).toContain(`'${name}'`)
    },
  )
})

it('names no command and no file of tests that there is none of', () => {
  const commands = [...page.matchAll(/npm (?:run (?:--silent )?)?(start|[a-z]+:[a-z]+|receiver)/g)]
  expect(commands.length).toBeGreaterThanOrEqual(4)
  for (const [, name = ''] of commands) expect(scripts).toHaveProperty([name])
  const files = [...page.matchAll(/test\/[\w/.-]+/g)].map(([file]) => file.replace(/\.$/, ''))
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const file of files) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true)
})

describe('the code that verifies', () => {
  const [, code = ''] = /```js\n([\s\S]+?)```/.exec(page) ?? []
  const SECRET = 'whsec_dGhlLXNlY3JldC1vZi1hLXBhZ2UtdGhhdC1pcy1yZWFk'
  const BODY = '{"type":"incident.created","data":{"title":"Prüfung • 502"}}'
  /** The headers as an independent library signs them. */
  const signed = (secret = SECRET, at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
  })
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
  const tell = async (headers: object, body = BODY, secret = SECRET): Promise<boolean> => {
    const page = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    return page.isGenuine(headers, Buffer.from(body), secret)
  }

  it('takes what an independent library signed, also beside the signature of a secret that is replaced', async () => {
    expect(await tell(signed())).toBe(true)
    const other = signed(`whsec_${Buffer.from('another').toString('base64')}`)['webhook-signature']
    const both = { ...signed(), 'webhook-signature': `${other} ${signed()['webhook-signature']}` }
    expect(await tell(both)).toBe(true)
  })

  it('takes a secret of another form by its own bytes', async () => {
    const plain = 'a secret of no special form'
    const headers = signed(Buffer.from(plain).toString('base64'))
    expect(await tell(headers, BODY, plain)).toBe(true)
  })

  it.each([
    ['another body', () => signed(), `${BODY} `],
    ['the signature of another secret', () => signed(`whsec_${'QUFB'.repeat(8)}`), BODY],
    ['a time that is six minutes ago', () => signed(SECRET, ago(360)), BODY],
    ['a time that is six minutes ahead', () => signed(SECRET, ago(-360)), BODY],
    ['no header', () => ({}), BODY],
    ['a signature of another version', () => ({ ...signed(), 'webhook-signature': 'v2,AAAA' }), BODY],
  ])('refuses %s', async (_what, headers, body) => {
    expect(await tell(headers(), body)).toBe(false)
  })
})
