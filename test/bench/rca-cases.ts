/**
 * The cases of every set, each with its loader and, apart from it, its truth. A case's truth is read only when all of
 * its findings are there.
 */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import type { LoadedCase } from './case-files.ts'
import { loadNezhaCase, type NezhaCase, nezhaCases, nezhaTruth } from './load-nezha.ts'
import { loadOpensreCase, type OpensreTruth, opensreCases, opensreTruth } from './load-opensre-rds.ts'
import { foldersIn, loadPetShopCase, petShopCases, petShopTruth } from './load-petshop.ts'
import { loadRootCauseBenchCase } from './load-rootcausebench.ts'
import { loadSockShopCase, sockShopCases, sockShopService, sockShopTruth } from './load-sock-shop.ts'
import { labelOf, readTruth, TRUTH_FILES } from './rootcausebench-truth.ts'

export const SETS = [
  'petshop',
  'rcd-sock-shop',
  'nezha-train-ticket',
  'nezha-online-boutique',
  'rootcausebench',
  'opensre-rds',
] as const
export type SetName = (typeof SETS)[number]

/** What the scoring of one case needs to know. */
export interface CaseTruth {
  /** The broken entity, the commit, or the category. */
  readonly answer: string
  /** The part of the set that is reported apart. */
  readonly cell: string
  readonly forbidden: readonly string[]
  readonly first_failing_service?: string
  readonly keywords?: readonly string[]
}

export interface BenchCase {
  readonly set: SetName
  readonly id: string
  load(): Promise<LoadedCase>
  truth(): Promise<CaseTruth>
  /** The benchmark's name of an entity of ours. */
  label(entity: string): string
  /** Copies the case without any truth and loads the copy. */
  loadWithoutTruth(work: string): Promise<LoadedCase>
}

const same = (entity: string): string => entity

async function stripJson(from: string, to: string, strip: (value: never) => unknown): Promise<void> {
  await writeFile(to, JSON.stringify(strip(JSON.parse(await readFile(from, 'utf8')) as never)))
}

async function petShop(set: string): Promise<readonly BenchCase[]> {
  return (await petShopCases(set)).map((id) => {
    const folder = join(set, id)
    return {
      set: 'petshop',
      id,
      label: same,
      load: async () => (await loadPetShopCase(folder, false)) as LoadedCase,
      async truth() {
        const { target } = JSON.parse(await readFile(join(folder, 'target.json'), 'utf8')) as {
          target: { metric: string }
        }
        const cell = `${id.split('/')[0]?.split('_')[0]} ${target.metric}`
        return { answer: await petShopTruth(folder), cell, forbidden: [] }
      },
      async loadWithoutTruth(work) {
        const copy = join(work, 'a', 'b', 'c')
        await mkdir(copy, { recursive: true })
        await symlink(join(folder, '..', '..', 'graph.csv'), join(work, 'a', 'graph.csv'))
        await symlink(join(folder, 'metrics.csv.gz'), join(copy, 'metrics.csv.gz'))
        await stripJson(
          join(folder, 'target.json'),
          join(copy, 'target.json'),
          ({ target }: { target: unknown }) => ({ target }),
        )
        return (await loadPetShopCase(copy, false)) as LoadedCase
      },
    }
  })
}

async function sockShop(set: string): Promise<readonly BenchCase[]> {
  return (await sockShopCases(set)).map((id) => {
    const folder = join(set, id)
    return {
      set: 'rcd-sock-shop',
      id,
      label: sockShopService,
      load: () => loadSockShopCase(folder),
      truth: async () => ({
        answer: sockShopTruth(id),
        cell: id.slice(id.lastIndexOf('-') + 1, id.indexOf('/')),
        forbidden: [],
      }),
      async loadWithoutTruth(work) {
        await symlink(folder, join(work, 'x'))
        return loadSockShopCase(join(work, 'x'))
      },
    }
  })
}

async function nezha(set: string, system: string, name: SetName): Promise<readonly BenchCase[]> {
  return (await nezhaCases(set, system)).map((one: NezhaCase) => ({
    set: name,
    id: one.id,
    label: same,
    load: () => loadNezhaCase(one),
    async truth() {
      const { service, kind } = await nezhaTruth(one)
      return { answer: service, cell: kind, forbidden: [] }
    },
    async loadWithoutTruth(work: string) {
      // The fault-free minute of another day may be needed, so all days are there; none has its list of faults.
      for (const day of await foldersIn(join(one.folder, '..'))) {
        await mkdir(join(work, day))
        for (const part of ['metric', 'trace', 'log', 'normal'])
          await symlink(join(one.folder, '..', day, part), join(work, day, part))
      }
      return loadNezhaCase({ ...one, folder: join(work, basename(one.folder)) })
    },
  }))
}

async function rootCauseBench(set: string): Promise<readonly BenchCase[]> {
  return (await foldersIn(set)).map((id) => {
    const folder = join(set, id)
    return {
      set: 'rootcausebench',
      id,
      label: same,
      load: () => loadRootCauseBenchCase(folder),
      async truth() {
        const truth = await readTruth(folder)
        return {
          answer: truth.root_cause_commit,
          cell: truth.root_cause_commit === 'none' ? 'no commit' : 'commit',
          forbidden: truth.decoy_deploy_commits,
          first_failing_service: truth.first_failing_service,
        }
      },
      async loadWithoutTruth(work) {
        const copy = join(work, 'x')
        await cp(folder, copy, {
          recursive: true,
          filter: (path) => !(TRUTH_FILES as readonly string[]).includes(basename(path)),
        })
        return loadRootCauseBenchCase(copy)
      },
    }
  })
}

async function opensre(set: string): Promise<readonly BenchCase[]> {
  return (await opensreCases(set)).map((id) => {
    const folder = join(set, id)
    const all = { alert_text: true, events: true }
    return {
      set: 'opensre-rds',
      id,
      label: same,
      load: () => loadOpensreCase(folder, all),
      async truth() {
        const truth: OpensreTruth = await opensreTruth(folder)
        return {
          answer: truth.category,
          cell: truth.category,
          forbidden: truth.forbidden,
          keywords: truth.keywords,
        }
      },
      async loadWithoutTruth(work) {
        const copy = join(work, 'x')
        await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.yml') })
        await stripJson(
          join(folder, 'alert.json'),
          join(copy, 'alert.json'),
          (alert: { title?: string; commonAnnotations: { rds_failure_mode?: string } }) => {
            const { title: _title, ...rest } = alert
            const { rds_failure_mode: _mode, ...commonAnnotations } = alert.commonAnnotations
            return { ...rest, commonAnnotations }
          },
        )
        return loadOpensreCase(copy, all)
      },
    }
  })
}

/** The cases of one set below `rca`, in a fixed order; empty where the folder has none. */
export async function casesOf(rca: string, set: SetName): Promise<readonly BenchCase[]> {
  switch (set) {
    case 'petshop':
      return petShop(join(rca, set))
    case 'rcd-sock-shop':
      return sockShop(join(rca, set))
    case 'nezha-train-ticket':
      return nezha(join(rca, 'nezha'), 'train-ticket', set)
    case 'nezha-online-boutique':
      return nezha(join(rca, 'nezha'), 'online-boutique', set)
    case 'rootcausebench':
      return rootCauseBench(join(rca, set))
    case 'opensre-rds':
      return opensre(join(rca, set))
  }
}

/** How findings become opensre's category, in the words that the bench prints. */
export const CATEGORY_RULES = [
  'outcome inconclusive                          → healthy',
  'kind capacity, traffic or data                → resource_exhaustion',
  'kind infra, node, network, provider or dns    → infrastructure',
  'any other kind                                → that kind',
] as const

export function categoryOf(findings: Pick<Findings, 'outcome' | 'cause'>): string {
  if (findings.outcome === 'inconclusive') return 'healthy'
  const { kind } = findings.cause
  if (kind === 'capacity' || kind === 'traffic' || kind === 'data') return 'resource_exhaustion'
  if (['infra', 'node', 'network', 'provider', 'dns'].includes(kind)) return 'infrastructure'
  return kind
}

/** Entities of the hypotheses in their order, each once, under the benchmark's names. */
export function rankingOf(
  findings: Pick<Findings, 'hypotheses'>,
  label: (entity: string) => string,
): readonly string[] {
  const ranked = new Set<string>()
  for (const { cause } of findings.hypotheses) if (cause.entity !== null) ranked.add(label(cause.entity))
  return [...ranked]
}

/** The place of the right answer in what was found, from 1; 0 where it is not named. */
export function rankOfTruth(
  one: BenchCase,
  truth: CaseTruth,
  findings: Findings,
  snapshot: Snapshot,
): number {
  if (one.set === 'rootcausebench') return labelOf(findings, snapshot.changes) === truth.answer ? 1 : 0
  if (one.set === 'opensre-rds') return categoryOf(findings) === truth.answer ? 1 : 0
  return rankingOf(findings, one.label).indexOf(truth.answer) + 1
}
