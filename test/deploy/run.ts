import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation'
import {
  CreateBackupCommand,
  DynamoDBClient,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { request } from 'undici'
import { readOptions, statusOf } from '#infra/commands/misuse.ts'
import { deployedTables } from '#infra/commands/opened-store.ts'
import { queueAddress } from '#infra/commands/queue-address.ts'
import { stackOutput } from '#infra/commands/stack-outputs.ts'
import { type DeployedResource, stackResources } from '#infra/commands/stack-resources.ts'
import { MAX_RECEIVES } from '#infra/queues.ts'
import { ROOT } from '#infra/root.ts'
import { SAMPLE_CULPRIT } from '#infra/sample-outage/sample-changes.ts'
import { SAMPLE_INCIDENT } from '#infra/sample-outage/sample-incident.ts'
import { sampleOutageFiles } from '#infra/sample-outage/write-sample-outage.ts'
import { stackName } from '#infra/service-stack.ts'
import { readSettingsFile, SETTINGS_FILE } from '#infra/settings.ts'
import { RESTORE_ORDER } from '#shared/adapters/dynamo/restore-items.ts'
import { OBJECTS, STAGE, TABLES } from '#shared/names.ts'
import { installPythonTool, skipWithout } from '#test/python-tool.ts'
import { changeCode, takeOutRefused } from './assembly.ts'
import { type EmulatedAws, MINISTACK, startEmulatedAws } from './emulated-aws.ts'
import { NOT_HELD, REFUSED } from './emulator-limits.ts'

const HELP = `Usage: npm run test:deploy -- [--no-conformance]

Deploys the whole stack with a real \`cdk deploy\` into an emulator of AWS on this machine, speaks to it as anybody would,
and takes it down: bootstrap, deploy, the conformance suite, an incident from its bundle to its root cause and its
delivery, a message that no worker can process, a second deployment without and with changed code, tables restored to a
point in time, destroy. Needs no Docker and no account, but Python 3.10 and its package index. Without Python it says so
in one line; with CI=true that is a failure. What the emulator cannot do is listed in test/deploy/emulator-limits.ts,
with the test that covers it instead.

Exit status: 0 all held or skipped, 1 something did not or is missing, 2 bad usage.
`

const STACK = stackName(readSettingsFile(join(ROOT, SETTINGS_FILE)))
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version
/** An investigation and its delivery take some seconds; an emulator on a busy machine takes its time. */
const PATIENCE_MS = 60_000
const LOOK_MS = 500

/** Runs a program and gives what it printed. @throws Error with all of it when it fails */
async function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = ROOT,
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    said += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args[0] ?? ''} ended with ${code}:\n${said.slice(-4_000)}`)
  // The CDK tells its progress on standard error.
  return program === 'cdk' ? said : printed
}

/** Asks again until it holds. @throws the last failure when it does not hold in time */
async function eventually<Value>(ask: () => Promise<Value>): Promise<Value> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await pause(LOOK_MS)
    }
  }
}

/** What the steps share. */
class Deployment {
  readonly aws: EmulatedAws
  readonly folder: string
  readonly assembly: string
  readonly sqs = new SQSClient({ useQueueUrlAsEndpoint: false })
  baseUrl = ''
  adminKey = ''
  resources: readonly DeployedResource[] = []
  incident = ''
  /** A key that is revoked after the tables were restored. */
  lateKey = ''

  constructor(aws: EmulatedAws, folder: string) {
    this.aws = aws
    this.folder = folder
    this.assembly = join(folder, 'cdk.out')
  }

  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.aws.environment }
  }

  cdk(...args: string[]): Promise<string> {
    return run('cdk', args, this.environment)
  }

  deploy(): Promise<string> {
    // Without a change set: the emulator loses the second of the same name.
    const options = ['--require-approval', 'never', '--method', 'direct', '--all']
    return this.cdk('deploy', '--app', this.assembly, ...options)
  }

  async key(...args: string[]): Promise<string> {
    const command = ['infra/commands/keys.ts', 'create', '--stack', STACK, ...args]
    return (JSON.parse(await run(process.execPath, command, this.environment)) as { key: string }).key
  }

  /** Runs a command of an operator as the runbook writes it. @returns the last line of what it printed */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  async operate(command: string, ...args: string[]): Promise<any> {
    const file = `infra/commands/${command}.ts`
    const said = await run(process.execPath, [file, '--stack', STACK, ...args], this.environment)
    return JSON.parse(command === 'keys' ? said : (said.trim().split('\n').at(-1) ?? ''))
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  async ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<any> {
    const answer = await request(`${this.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.adminKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.body.text()
    assert.ok(answer.statusCode < 300, `${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }

  queue(beginning: string): Promise<string> {
    return queueAddress(this.sqs, this.resources, beginning)
  }

  async attribute(url: string, name: 'QueueArn' | 'ApproximateNumberOfMessages'): Promise<string> {
    const { Attributes } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }),
    )
    return Attributes?.[name] ?? ''
  }
}

/** What must hold, in the order in which it is done. */
const STEPS: readonly (readonly [promise: string, step: (given: Deployment) => Promise<void>])[] = [
  [
    'an account is prepared once',
    async (given) => {
      // Where there is no application: an account is prepared for any.
      await run('cdk', ['bootstrap', given.aws.target], given.environment, given.folder)
    },
  ],
  [
    'the stack is synthesised and deployed whole',
    async (given) => {
      await given.cdk('synth', '--quiet', '--output', given.assembly)
      for (const [place, count] of takeOutRefused(given.assembly).entries())
        assert.ok(count > 0, `nothing to take out any more: ${REFUSED[place]?.cannot}`)
      await given.deploy()
      process.env.AWS_ENDPOINT_URL = given.aws.endpoint
      given.resources = await stackResources(STACK)
      const id = /^https:\/\/(\w+)\./.exec(await stackOutput(STACK, 'BaseUrl'))?.[1]
      assert.ok(id, 'the output BaseUrl names no API')
      given.baseUrl = `${given.aws.endpoint}/_aws/execute-api/${id}/${STAGE}`
    },
  ],
  [
    'the first key is made as the README says, and the API answers',
    async (given) => {
      given.adminKey = await given.key('--name', 'first', '--type', 'admin', '--plan', 'enterprise')
      const health = await given.ask('GET', '/health')
      assert.deepEqual(health, { status: 'ok', version: VERSION })
    },
  ],
  [
    'queues put aside what nobody can work (their policies set by hand, which the emulator leaves out)',
    async (given) => {
      for (const name of ['Investigations', 'Deliveries', 'Alerts']) {
        const dead = await given.attribute(await given.queue(`${name}DeadQueue`), 'QueueArn')
        const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead, maxReceiveCount: MAX_RECEIVES })
        await given.sqs.send(
          new SetQueueAttributesCommand({
            QueueUrl: await given.queue(`${name}Queue`),
            Attributes: { RedrivePolicy },
          }),
        )
      }
    },
  ],
  [
    'an incident goes through stream, queue and worker to its root cause, evidence from the bucket',
    async (given) => {
      const bucket = await stackOutput(STACK, 'BundlesBucket')
      const s3 = new S3Client({ forcePathStyle: true })
      for (const [name, text] of sampleOutageFiles(Date.now()))
        await s3.send(
          new PutObjectCommand({ Bucket: bucket, Key: `${OBJECTS.bundles}outage/${name}`, Body: text }),
        )
      s3.destroy()
      await given.ask('POST', '/integrations', { type: 'bundle', config: { prefix: 'outage' } })
      await given.ask('POST', '/webhooks', {
        // Resolves nowhere, ever: the attempt is made and fails.
        url: 'https://receiver.invalid/hook',
        events: ['incident.created'],
        secret: 'a secret of the receiver',
      })
      given.incident = (await given.ask('POST', '/incidents', SAMPLE_INCIDENT)).id
      const { root_cause } = await eventually(async () => {
        const incident = await given.ask('GET', `/incidents/${given.incident}`)
        assert.equal(incident.analysis, 'done')
        return incident
      })
      assert.equal(root_cause.outcome, 'identified')
      assert.equal(root_cause.cause.change, SAMPLE_CULPRIT)
    },
  ],
  [
    'its event is attempted and logged for the subscriber',
    async (given) => {
      const { webhooks } = await given.ask('GET', '/webhooks')
      assert.equal(webhooks.length, 1)
      await eventually(async () => {
        const { deliveries } = await given.ask('GET', `/webhooks/${webhooks[0].id}/deliveries`)
        assert.equal(deliveries.length, 1)
        const [delivery] = deliveries
        assert.equal(delivery.incident_id, given.incident)
        assert.equal(delivery.attempts[0]?.error, 'no_address')
        assert.equal(delivery.status, 'pending')
      })
    },
  ],
  [
    'a message that no worker can read lies in the dead-letter queue after five tries',
    async (given) => {
      const url = await given.queue('InvestigationsQueue')
      const dead = await given.queue('InvestigationsDeadQueue')
      // What failed comes back after this; six times the worker's two minutes is more than a test can wait for.
      const hide = (VisibilityTimeout: string) =>
        given.sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { VisibilityTimeout } }))
      await hide('1')
      await given.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'no doorbell' }))
      await eventually(async () =>
        assert.equal(await given.attribute(dead, 'ApproximateNumberOfMessages'), '1'),
      )
      await hide('720')
    },
  ],
  [
    'the operator sees it there and gives it back',
    async (given) => {
      const redrive = async (...args: string[]) =>
        JSON.parse(
          await run(
            process.execPath,
            ['infra/commands/redrive.ts', '--stack', STACK, ...args],
            given.environment,
          ),
        ) as unknown
      assert.deepEqual(await redrive(), { dead: { investigations: 1, deliveries: 0, alerts: 0 } })
      assert.deepEqual(await redrive('--queue', 'investigations'), { queue: 'investigations', moved: 1 })
      assert.deepEqual(await redrive(), { dead: { investigations: 0, deliveries: 0, alerts: 0 } })
    },
  ],
  [
    'a leaked key is found, revoked, and refused from the next request on',
    async (given) => {
      const name = 'pasted into a chat'
      const leaked = await given.key('--name', name, '--type', 'assistant')
      const { keys } = await given.operate('keys', 'list')
      const { id } = keys.find((key: { name: string }) => key.name === name)
      const ask = async () =>
        (
          await request(`${given.baseUrl}/query`, {
            method: 'POST',
            headers: { authorization: `Bearer ${leaked}`, 'content-type': 'application/json' },
            body: JSON.stringify({ query: 'Is checkout well?' }),
          })
        ).statusCode
      assert.equal(await ask(), 200)
      await given.operate('keys', 'revoke', id)
      assert.equal(await ask(), 401)
      const { acts } = await given.operate('keys', 'acts')
      assert.deepEqual([acts[0].act, acts[0].key_id], ['revoked', id])
    },
  ],
  [
    'everything fits together, can be looked through, and can be taken out without secrets',
    async (given) => {
      const { found, left } = await given.operate('repair')
      assert.deepEqual({ found, left }, { found: {}, left: 0 })
      const to = join(given.folder, 'export')
      const { items, objects } = await given.operate('export', '--to', to)
      assert.ok(items.incidents.incident >= 1 && objects >= 1, JSON.stringify({ items, objects }))
      const text = readFileSync(join(to, 'webhooks.jsonl'), 'utf8')
      assert.ok(text.includes('receiver.invalid') && !text.includes('"sealed"'))
    },
  ],
  [
    'a second deployment without a change changes nothing',
    async (given) => {
      assert.match(await given.deploy(), /no changes/)
    },
  ],
  [
    'a deployment of changed code takes effect, and what was stored is still there',
    async (given) => {
      changeCode(given.assembly, STACK, 'get-health', `"${VERSION}"`, `"${VERSION}-next"`)
      assert.doesNotMatch(await given.deploy(), /no changes/)
      await eventually(async () =>
        assert.equal((await given.ask('GET', '/health')).version, `${VERSION}-next`),
      )
      assert.equal((await given.ask('GET', `/incidents/${given.incident}`)).analysis, 'done')
    },
  ],
  [
    'all tables are restored to one second, as tables beside them',
    async (given) => {
      given.lateKey = (await given.operate('keys', 'create', '--name', 'late', '--type', 'assistant')).id
      const client = new DynamoDBClient()
      const names = deployedTables(given.resources)
      for (const table of RESTORE_ORDER) {
        const TargetTableName = `restored-${table}`
        const SourceTableName = names[table]
        if (Object.keys(TABLES[table].indexes).length === 0) {
          const restore = { SourceTableName, TargetTableName, RestoreDateTime: new Date() }
          await client.send(new RestoreTableToPointInTimeCommand(restore))
          continue
        }
        // The emulator restores tables that have indexes from a backup alone: see LEFT_OUT.
        const backup = { TableName: SourceTableName, BackupName: `before-${table}` }
        const { BackupDetails } = await client.send(new CreateBackupCommand(backup))
        const BackupArn = BackupDetails?.BackupArn
        await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }))
      }
      client.destroy()
    },
  ],
  [
    'an incident is erased with its objects, and is gone for everybody',
    async (given) => {
      const args = ['--incident', given.incident]
      const { would_erase } = await given.operate('erase', ...args)
      assert.equal(would_erase.items.incidents.incident, 1)
      assert.ok(would_erase.objects >= 1)
      const { erased } = await given.operate('erase', ...args, '--yes')
      // The receiver may have been tried once more meanwhile.
      assert.ok(erased.items.webhooks.attempt >= would_erase.items.webhooks.attempt)
      erased.items.webhooks.attempt = would_erase.items.webhooks.attempt
      assert.deepEqual(erased, would_erase)
      const { statusCode } = await request(`${given.baseUrl}/incidents/${given.incident}`, {
        headers: { authorization: `Bearer ${given.adminKey}` },
      })
      assert.equal(statusCode, 404)
    },
  ],
  [
    'what was erased is brought back from restored tables, and a key that was revoked since stays revoked',
    async (given) => {
      await given.operate('keys', 'revoke', given.lateKey)
      const args = ['--from', 'restored']
      const { would_restore } = await given.operate('restore', ...args)
      assert.equal(would_restore.incidents.incident, 1)
      const { restored } = await given.operate('restore', ...args, '--yes')
      assert.deepEqual(restored, would_restore)
      assert.deepEqual((await given.operate('restore', ...args)).would_restore, {})
      const incident = await given.ask('GET', `/incidents/${given.incident}`)
      assert.equal(incident.root_cause.cause.change, SAMPLE_CULPRIT)
      const { incidents } = await given.ask('GET', '/incidents')
      assert.ok(incidents.some(({ id }: { id: string }) => id === given.incident))
      const { keys } = await given.operate('keys', 'list')
      assert.ok(keys.find(({ id }: { id: string }) => id === given.lateKey).revoked_at !== null)
    },
  ],
]

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** The conformance suite over HTTP alone; what fails is exactly what the emulator is known not to do. */
async function conformance(given: Deployment): Promise<void> {
  const report = join(given.folder, 'conformance.json')
  const keys = join(given.folder, 'keys.json')
  const rate_limited = await given.key('--name', 'to burn', '--type', 'admin')
  writeFileSync(keys, JSON.stringify({ enterprise: given.adminKey, rate_limited, local_egress: false }))
  const { AWS_ENDPOINT_URL: _, ...environment } = process.env
  await run('vitest', ['run', '--config', 'test/deploy/conformance.config.ts'], {
    ...environment,
    CONFORMANCE_REPORT: report,
    CONFORMANCE_BASE_URL: given.baseUrl,
    ADMIN_KEY: given.adminKey,
    ASSISTANT_KEY: await given.key('--name', 'assistant', '--type', 'assistant', '--plan', 'enterprise'),
    KEYS_FILE: keys,
  }).catch((error: unknown) => {
    if (NOT_HELD.length === 0) throw error
  })
  const results = (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  )
  const passed = results.filter(({ status }) => status === 'passed').length
  const failed = results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const unforeseen = failed.filter((name) => !NOT_HELD.some(({ statement }) => name.includes(statement)))
  assert.deepEqual(unforeseen, [], 'statements that do not hold')
  for (const { statement } of NOT_HELD)
    assert.ok(
      failed.some((name) => name.includes(statement)),
      `holds by now, take it off the list: ${statement}`,
    )
  assert.ok(passed > 200, `only ${passed} statements were tried`)
  process.stdout.write(`  ${passed} statements hold, ${failed.length} cannot here\n`)
}

/** Takes the stack down. */
async function destroy(given: Deployment): Promise<void> {
  // What the CDK asks first the emulator refuses; what counts is that a deletion leaves nothing.
  await given.cdk('destroy', '--app', given.assembly, '--force', '--all').catch(() => undefined)
  const client = new CloudFormationClient()
  try {
    await client.send(new DeleteStackCommand({ StackName: STACK }))
    await eventually(async () => {
      const { Stacks = [] } = await client
        .send(new DescribeStacksCommand({ StackName: STACK }))
        .catch(() => ({ Stacks: [] }))
      const left = Stacks.map(({ StackStatus }) => StackStatus)
      assert.deepEqual(
        left.filter((status) => status !== 'DELETE_COMPLETE'),
        [],
      )
    })
  } finally {
    client.destroy()
  }
}

async function test(withConformance: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
  const aws = await startEmulatedAws()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void aws.stop().finally(() => process.exit(1)))
  Object.assign(process.env, aws.environment)
  const given = new Deployment(aws, folder)
  // Before anything else is connected: some statements are about a service that has no tool.
  const connected = STEPS.findIndex(([promise]) => promise.startsWith('an incident goes through'))
  const steps = [
    ...STEPS.slice(0, connected),
    ...(withConformance ? [['the conformance suite holds over HTTP', conformance] as const] : []),
    ...STEPS.slice(connected),
    ['the stack is taken down and nothing of it is left', destroy] as const,
  ]
  try {
    for (const [promise, step] of steps) {
      const began = performance.now()
      try {
        await step(given)
      } catch (error) {
        process.stdout.write(`FAILED: ${promise}\n${(error as Error).message}\n`)
        return 1
      }
      process.stdout.write(`ok: ${promise} (${((performance.now() - began) / 1_000).toFixed(1)} s)\n`)
    }
    return 0
  } finally {
    given.sqs.destroy()
    await aws.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(): Promise<number> {
  const { values } = readOptions({
    options: {
      'no-conformance': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const reason = installPythonTool(MINISTACK)
  return reason === null ? test(!values['no-conformance']) : skipWithout(reason)
}

main().then(
  (status) => {
    process.exitCode = status
  },
  (error: unknown) => {
    process.stderr.write(`test:deploy: ${(error as Error).message}\n`)
    process.exitCode = statusOf(error)
  },
)
