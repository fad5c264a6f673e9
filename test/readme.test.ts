import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(root, 'README.md'), 'utf8')
const blocks = Array.from(readme.matchAll(/```bash\n(.*?)```/gs), ([, text = '']) => text.trim())

/** Blocks that a test does not run as they stand, each with what stands in for it. */
const ELSEWHERE = [
  // Started below by its second half; the first half is how this test came to run.
  'npm ci && npm start',
  'npm ci && npm test',
  // Needs an AWS account; `npm run synth` below shows the same templates, test/infra asserts them.
  'npx cdk bootstrap\nnpx cdk deploy',
]

interface Ready {
  readonly base_url: string
  readonly admin_key: string
  readonly assistant_key: string
}

let service: ChildProcess
let folder: string
let ready: Ready

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'))
  const args = ['infra/commands/start.ts', '--json', '--port', '0', '--data', join(folder, 'data')]
  service = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
  ready = await new Promise<Ready>((resolve, reject) => {
    service.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as Ready))
    service.once('exit', (status) => reject(new Error(`npm start ended with ${status}`)))
  })
}, 300_000)
afterAll(async () => {
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
})

/** Runs a block in a shell as a reader would, against the running service and its data folder. */
async function run(block: string): Promise<string> {
  const here = block
    .replaceAll('.local/', `${join(folder, 'data')}/`)
    // A block that names a stack names its place itself.
    .replace(/((?:keys|users) -- (?:create|list)(?!.*--stack).*)$/gm, `$1 --data ${join(folder, 'data')}`)
    .replace(/(--silent (?:repair|export|erase))(?: --)?(.*)$/gm, `$1 --$2 --data ${join(folder, 'data')}`)
  const env = {
    ...process.env,
    BASE_URL: ready.base_url,
    ADMIN_KEY: ready.admin_key,
    ASSISTANT_KEY: ready.assistant_key,
    // Nobody's account is asked from a test: CloudFormation is where nothing listens.
    AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:9',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nobody',
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], {
    cwd: root,
    env,
    maxBuffer: 2 ** 26,
  })
  return stdout
}

const block = (beginning: string): string => {
  const found = blocks.find((text) => text.includes(beginning))
  if (found === undefined) throw new Error(`the README has no block with ${beginning}`)
  return found
}

describe('the README', () => {
  const tried: string[] = [...ELSEWHERE]
  const trying = async (beginning: string) => {
    const text = block(beginning)
    tried.push(text)
    return run(text)
  }

  it('names the variables that the other blocks use', () => {
    const text = block('BASE_URL=')
    tried.push(text)
    expect(text.match(/^[A-Z_]+(?==)/gm)).toEqual(['BASE_URL', 'ADMIN_KEY', 'ASSISTANT_KEY'])
  })

  it('asks a question that is answered with at least three pieces of evidence', async () => {
    const answer = JSON.parse(await trying('/query"')) as {
      outcome: string
      evidence: unknown[]
      answer: string
    }
    expect(answer.outcome).toBe('identified')
    expect(answer.evidence.length).toBeGreaterThanOrEqual(3)
  })

  it('opens an incident whose investigation waits or runs already', async () => {
    expect(JSON.parse(await trying('-d \'{"title"'))).toMatchObject({ status: 'open', severity: 'critical' })
  })

  it('connects a tool, and says that the one of the example cannot be reached', async () => {
    expect(JSON.parse(await trying('/integrations"'))).toMatchObject({
      type: 'prometheus',
      status: 'error',
      status_detail: expect.stringContaining('could not be reached'),
    })
  })

  it('subscribes a receiver', async () => {
    expect(JSON.parse(await trying('/webhooks"'))).toMatchObject({
      url: 'https://receiver.example.com/incidents',
      events: ['incident.created', 'incident.resolved', 'incident.analyzed'],
    })
  })

  it('lists what is open and critical', async () => {
    const { incidents } = JSON.parse(await trying('?status=open')) as { incidents: { status: string }[] }
    expect(incidents.length).toBeGreaterThanOrEqual(1)
    expect(new Set(incidents.map(({ status }) => status))).toEqual(new Set(['open']))
  })

  it('takes a deployment that a pipeline tells of', async () => {
    expect(JSON.parse(await trying('/signals"'))).toMatchObject({ changes: 1 })
  })

  it('investigates a folder without the service', async () => {
    expect(await trying('investigate --')).toMatch(/likely|possible/i)
  })

  it('makes and lists keys of the local service', async () => {
    const printed = await trying('keys -- create --name "status page"')
    expect(printed).toMatch(/iis_live_ast_/)
    expect(printed).toContain('"status page"')
  })

  it('lists the users who have called the local service', async () => {
    expect(JSON.parse(await trying('users -- list'))).toEqual({ users: [] })
  })

  it('finds nothing to repair, exports everything, and tells what it would erase', async () => {
    await trying('--silent repair')
    const items = await readdir(join(folder, 'data', 'export'), { recursive: true })
    expect(items.length).toBeGreaterThan(0)
  })

  it('runs one function by hand', async () => {
    expect(await trying('invoke -- get-health')).toContain('\\"status\\":\\"ok\\"')
  })

  it('says what a month costs', async () => {
    expect(await trying('run --silent cost')).toContain('**in total**')
  })

  it('synthesises the stack offline', async () => {
    await trying('npm run synth')
  }, 300_000)

  it('says how the first key of a deployed stack is made, by a command that takes these words', async () => {
    const text = block('--stack')
    tried.push(text)
    // Without an AWS account it can only be refused by AWS, not for its words.
    await expect(run(text)).rejects.toMatchObject({
      code: 1,
      stderr: expect.not.stringContaining('--help says more'),
    })
  })

  it('has no block that nobody ran', () => {
    expect(blocks.filter((text) => !tried.includes(text))).toEqual([])
  })
})
