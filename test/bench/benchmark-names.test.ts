import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const data = process.env.INCIDENT_DATA || undefined
const rca = data === undefined ? undefined : join(data, 'rca')

const LEAST = 8
/** A name that is no ordinary word: with a hyphen, a digit or a capital inside. */
const TELLING = /[-\d]|[a-z][A-Z]/
/** Products of a provider occur in the names of a benchmark's nodes; they are public technology. */
const PRODUCT = /AWS::(\w+)/g

const folders = (...path: string[]): string[] =>
  existsSync(join(...path))
    ? readdirSync(join(...path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
    : []
const headerOf = (path: string): string[] => {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.slice(0, text.indexOf('\n')).trim().split(',')
}

/** Every text below the keys that hold names, in any depth. */
function named(value: unknown, keys: ReadonlySet<string>, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) named(one, keys, found)
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      if (keys.has(key))
        for (const text of Array.isArray(inner) ? inner : [inner])
          if (typeof text === 'string') found.add(text)
      named(inner, keys, found)
    }
}

const KEYS = new Set([
  'service',
  'author',
  'actor',
  'flag',
  'sha',
  'commit_sha',
  'version',
  'files_changed',
  'instance',
  'DBInstanceIdentifier',
  'dbinstanceidentifier',
  'db_instance',
  'SourceIdentifier',
])

function namesIn(root: string): ReadonlySet<string> {
  const found = new Set<string>()
  const products = new Set<string>()
  for (const scenario of folders(root, 'petshop')) {
    found.add(scenario)
    for (const name of headerOf(join(root, 'petshop', scenario, 'graph.csv'))) {
      for (const [, product = ''] of name.matchAll(PRODUCT)) products.add(product)
      found.add(name)
      for (const part of name.split(/[_/ ]/)) if (!part.includes('::')) found.add(part)
    }
  }
  for (const scenario of folders(root, 'rcd-sock-shop')) {
    found.add(scenario)
    for (const run of folders(root, 'rcd-sock-shop', scenario).slice(0, 1))
      for (const column of headerOf(join(root, 'rcd-sock-shop', scenario, run, 'normal.csv.gz')))
        found.add(column.split('_')[0] ?? '')
  }
  for (const system of folders(root, 'nezha')) {
    found.add(system)
    for (const day of folders(root, 'nezha', system))
      for (const file of readdirSync(join(root, 'nezha', system, day, 'metric'))) {
        const pod = file.replace(/_metric\.csv\.gz$/, '')
        found.add(pod).add(pod.replace(/-[a-z0-9]+-[a-z0-9]{5}$/, ''))
      }
  }
  for (const set of ['rootcausebench', 'opensre-rds'])
    for (const scenario of folders(root, set)) {
      found.add(scenario).add(scenario.replace(/^\d+-/, ''))
      for (const file of readdirSync(join(root, set, scenario), { recursive: true, encoding: 'utf8' }))
        if (file.endsWith('.json'))
          named(JSON.parse(readFileSync(join(root, set, scenario, file), 'utf8')), KEYS, found)
    }
  for (const product of products) found.delete(product)
  return new Set([...found].filter((name) => name.length >= LEAST && TELLING.test(name)))
}

describe.skipIf(rca === undefined || !existsSync(rca))('what is shipped', () => {
  it('names no service, repository, person or scenario of a benchmark', () => {
    const names = namesIn(rca as string)
    expect(names.size).toBeGreaterThan(100)
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'shared'], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => file !== '' && existsSync(file))
    expect(files.length).toBeGreaterThan(50)
    const hits: string[] = []
    for (const file of files) {
      const text = readFileSync(file, 'utf8').toLowerCase()
      for (const name of names) if (text.includes(name.toLowerCase())) hits.push(`${file}: ${name}`)
    }
    expect(hits).toEqual([])
  })
})
