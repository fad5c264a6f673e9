/**
 * Families of faults that were written after the engine's constants were frozen. They are scored and never worked on:
 * whoever changes the engine for one of them moves it to the other file.
 */
import { type Family, type Fault, hunk, only } from './faults.ts'
import type { Part, Topology } from './topology.ts'

/** Services that others call. */
export const inner = ({ parts }: Topology): readonly Part[] =>
  parts.filter(({ kind }, index) => kind === 'service' && index > 0)

/** Who calls a part. */
export const callersOf = ({ parts }: Topology, name: string): readonly Part[] =>
  parts.filter(({ calls }) => calls.some(({ to }) => to === name))

/** A list that only grows: memory fills, collections of garbage slow the pod down, then it is killed. */
const growingList: Family = (topology, chance): Fault => {
  const { name, memory_mb } = chance.pick(inner(topology))
  const path = `${name}/src/recent-requests.ts`
  const leak_mb = memory_mb / chance.between(3, 5)
  const limit = memory_mb * 2
  return {
    ...{ kind: 'code', entity: name, share: 1, delay_s: 240 },
    culprit: {
      kind: 'commit',
      title: 'Keep requests for the support page',
      files: [path],
      diff: hunk(
        path,
        ['  recent.push(request)', '  if (recent.length > 1000) recent.shift()'],
        ['  recent.push(request)'],
      ),
    },
    trace: { lines: [{ part: name, message: 'FATAL: JavaScript heap out of memory', per_minute: 4 }] },
    working: only(name, (since_s) => ({
      ...{ leak_mb, memory_limit_mb: limit, cpu_factor: 1 + Math.min(6, since_s / 120) },
      ...{ own_factor: 1 + Math.min(25, since_s / 20), own_errors: since_s > 300 ? 0.2 : 0 },
    })),
  }
}

/** A deadline shorter than what the callee takes, and many tries: the callee drowns. */
const hastyCaller: Family = (topology, chance): Fault | null => {
  const candidates = inner(topology).filter(({ calls }) => calls.length > 0)
  if (candidates.length === 0) return null
  const { name, timeout_ms } = chance.pick(candidates)
  const path = `deploy/${name}/values.yaml`
  return {
    ...{ kind: 'config', entity: name, share: 1, delay_s: 0 },
    culprit: {
      ...{ kind: 'config', title: `Fail faster in ${name}`, files: [path] },
      diff: [
        ...[`--- a/${path}`, `+++ b/${path}`, '@@ -7,4 +7,4 @@', ' upstream:'],
        ...[
          `-  timeoutMs: ${timeout_ms}`,
          '-  retries: 0',
          '+  timeoutMs: 3',
          '+  retries: 5',
          '   keepAlive: true',
        ],
      ].join('\n'),
      before: String(timeout_ms),
      after: '3',
    },
    trace: { lines: [{ part: name, message: 'upstream request timed out after 3 ms', per_minute: 25 }] },
    working: only(name, () => ({ timeout_ms: 3, retries: 5 })),
  }
}

/** A certificate that ran out: whoever calls is refused. */
const expiredCertificate: Family = (topology, chance): Fault => {
  const { name } = chance.pick(inner(topology))
  return {
    ...{ kind: 'certificate', entity: name, culprit: null, share: 1, delay_s: 0 },
    trace: {
      lines: callersOf(topology, name).map((caller) => ({
        part: caller.name,
        message: `tls: failed to verify certificate of ${name}: x509: certificate has expired or is not yet valid`,
        per_minute: 20,
      })),
    },
    working: only(name, () => ({ own_errors: 0.97 })),
  }
}

/** A name that no longer resolves, for some of the time. */
const unresolvedName: Family = (topology, chance): Fault => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.4, 0.9)
  return {
    ...{ kind: 'dns', entity: name, culprit: null, share: 1, delay_s: 0 },
    trace: {
      lines: callersOf(topology, name).map((caller) => ({
        part: caller.name,
        message: `dial tcp: lookup ${name}.svc.local on 10.96.0.10:53: server misbehaving (SERVFAIL)`,
        per_minute: 20,
      })),
    },
    working: only(name, () => ({ own_errors: share })),
  }
}

/** A squashed pull request of many files, one of which forgets to wait for what it asked. */
const squashedSlip: Family = (topology, chance): Fault => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.2, 0.6)
  const others = ['labels', 'prices', 'paging', 'menu', 'search'].map((file) => `${name}/src/${file}.ts`)
  const path = `${name}/src/account.ts`
  return {
    ...{ kind: 'code', entity: name, share: chance.is(0.3) ? 0.5 : 1, delay_s: 0 },
    culprit: {
      kind: 'commit',
      title: 'Tidy up the account pages',
      files: [...others, path],
      diff: [
        ...others.map((file) => hunk(file, ['  const list = load(page)'], ['  const items = load(page)'])),
        hunk(path, ['  const account = await accounts.find(id)'], ['  const account = accounts.find(id)']),
      ].join('\n'),
    },
    trace: {
      lines: [
        { part: name, message: 'TypeError: account.balance is undefined in account.ts', per_minute: 20 },
      ],
    },
    working: only(name, () => ({ own_errors: share })),
  }
}

/** A datastore whose node is taken away and comes back by itself, again and again. */
const flappingStore: Family = (topology, chance): Fault => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const period = chance.whole(90, 150)
  return {
    ...{ kind: 'infra', entity: store.name, culprit: null, share: 1, delay_s: 0 },
    trace: {
      events: [
        {
          resource: store.name,
          kind: 'failover',
          message: `${store.name}: multi-AZ failover started, the instance is not available`,
        },
      ],
    },
    working: only(store.name, (since_s) => ({ own_errors: since_s % period < period * 0.7 ? 0.95 : 0 })),
  }
}

export const LATE_FAMILIES: Readonly<Record<string, Family>> = {
  'growing-list': growingList,
  'hasty-caller': hastyCaller,
  'expired-certificate': expiredCertificate,
  'unresolved-name': unresolvedName,
  'squashed-slip': squashedSlip,
  'flapping-store': flappingStore,
}
