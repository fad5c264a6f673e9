import { digestOf, sha256 } from '#shared/adapters/digest.ts'
import { Refusal } from '#shared/domain/errors.ts'
import type { PullRequest } from '#shared/domain/integration.ts'
import {
  type AskOutcome,
  type Gap,
  NOTHING_PULLED,
  type Pulled,
  type SourceAsked,
  type Window,
} from '#shared/domain/investigation/records/snapshot.ts'
import {
  askTool,
  type FailureKind,
  type Question,
  type ToolAnswer,
  type ToolDeps,
  type ToolReach,
} from './tool-request.ts'

/** Time that the questions of one pull have, in milliseconds: what a tool gets for a whole investigation. */
const PULL_MS = 8000

/** One question of a pull. */
export interface Asked extends Question {
  /** What would be missing, for the gap. */
  readonly what: string
  /** The question as a person would ask it again; default: method and path. */
  readonly query?: string
  readonly window?: Window
  /** Where a person sees the same in the tool. */
  readonly link?: string
  /** Failures that mean that there is nothing, which leave no gap. */
  readonly empty?: readonly FailureKind[]
}

/** An answer with the name under which its records stand in the snapshot. */
export interface Answered extends ToolAnswer {
  /** Id of the source: records point to it. */
  readonly id: string
  readonly asked: Asked
}

/** What came of an answer. */
export interface Outcome {
  /** What the answer was read into; the digest goes over it. */
  readonly items: readonly unknown[]
  readonly outcome?: AskOutcome
  readonly detail?: string
  readonly link?: string | undefined
}

/** The requests of one pull: what was asked, what is missing. */
export interface ToolSession {
  readonly reach: ToolReach
  readonly request: PullRequest
  readonly sources: readonly SourceAsked[]
  readonly gaps: readonly Gap[]
  /** Asks one question. Never rejects: a failure is written down as a source and a gap, and gives undefined. */
  ask(asked: Asked): Promise<Answered | undefined>
  /** Writes down what an answer was read into. */
  answered(answer: Answered, outcome: Outcome): void
  gap(gap: Gap): void
  /** A session with the same tool by another way, such as a proxy; its questions count and stand here. */
  by(reach: ToolReach): ToolSession
  /** What was pulled, with all sources and gaps of the session, in an order that does not depend on luck. */
  end(records: Partial<Pulled>): Pulled
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Questions that a gap names; of more it tells the number. */
const MOST_NAMED = 5

/** What was not asked, each once, in order. */
function named(asked: readonly string[]): string {
  const different = [...new Set(asked)].toSorted(order)
  const more = different.length - MOST_NAMED
  return `${different.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; ${more} more` : ''}`
}

const OUTCOME_OF: Partial<Record<FailureKind, AskOutcome>> = { timed_out: 'timed_out', cut: 'cut' }

/**
 * Starts a session with a tool for one pull.
 * @param caps requests under way at once, and in all
 */
export function toolSession(
  deps: ToolDeps,
  reach: ToolReach,
  request: PullRequest,
  caps: { readonly parallel: number; readonly requests: number },
): ToolSession {
  const { signal, integration_id } = request
  const end = deps.now() + PULL_MS
  const sources: SourceAsked[] = []
  const gaps: Gap[] = []
  const unasked = new Map<string, string[]>()
  const waiting: (() => void)[] = []
  let underWay = 0
  let asked = 0
  let limitedUntil: number | undefined

  const turn = async (): Promise<void> => {
    // Whoever ends hands its turn over, so that nobody slips in between.
    if (underWay >= caps.parallel) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
  }
  const done = (): void => {
    const next = waiting.shift()
    if (next) next()
    else underWay -= 1
  }

  /** Why nothing more may be asked now. */
  const stopped = (): string | undefined => {
    if (signal.aborted || deps.now() >= end) return 'the time was up'
    if (limitedUntil !== undefined) {
      return `${reach.title} asks to be left alone until ${new Date(limitedUntil).toISOString()}`
    }
    return asked >= caps.requests ? `one investigation makes at most ${caps.requests} requests` : undefined
  }

  const sourceOf = (by: ToolReach, one: Asked): Omit<SourceAsked, 'outcome' | 'records'> => {
    const query = one.query ?? `${one.method ?? 'GET'} ${one.path}`
    const window = one.window === undefined ? '' : ` ${one.window.from} ${one.window.to}`
    const body = one.json === undefined && one.form === undefined ? '' : digestOf([one.json, one.form])
    return {
      id: `${integration_id}:${sha256(`${by.base_url} ${one.path} ${query}${window}${body}`).slice(0, 16)}`,
      integration_id,
      tool: reach.tool,
      query,
      ...(one.window === undefined ? {} : { window: one.window }),
      ...(one.link === undefined ? {} : { link: one.link }),
    }
  }

  const write = (source: SourceAsked): void => {
    if (!sources.some(({ id }) => id === source.id)) sources.push(source)
  }

  const sessionBy = (by: ToolReach): ToolSession => ({
    reach: by,
    request,
    sources,
    gaps,
    async ask(one) {
      await turn()
      try {
        const reason = stopped()
        if (reason !== undefined) {
          unasked.set(reason, [...(unasked.get(reason) ?? []), one.what])
          return undefined
        }
        asked += 1
        const source = sourceOf(by, one)
        const answer = await askTool(deps, by, one, end - deps.now(), signal)
        if (answer.ok) return { ...answer, id: source.id, asked: one }
        if (one.empty?.includes(answer.kind)) {
          write({ ...source, outcome: 'empty', records: 0, detail: answer.why })
          return undefined
        }
        if (answer.kind === 'limited') limitedUntil = answer.until
        write({ ...source, outcome: OUTCOME_OF[answer.kind] ?? 'failed', records: 0, detail: answer.why })
        gaps.push({ what: one.what, why: answer.why, source: source.id })
        return undefined
      } finally {
        done()
      }
    },
    answered(answer, { items, outcome, detail, link }) {
      write({
        ...sourceOf(by, answer.asked),
        outcome: outcome ?? (items.length === 0 ? 'empty' : 'answered'),
        records: items.length,
        digest: digestOf(items),
        ...(link === undefined ? {} : { link }),
        ...(detail === undefined ? {} : { detail }),
      })
    },
    gap(gap) {
      gaps.push(gap)
    },
    by: sessionBy,
    end(records) {
      for (const [reason, asked] of unasked) {
        const requests = `${asked.length} request${asked.length === 1 ? ' was' : 's were'} not made`
        gaps.push({ what: reach.title, why: `${requests} (${named(asked)}): ${reason}.` })
      }
      return {
        ...NOTHING_PULLED,
        ...records,
        sources: sources.toSorted((a, b) => order(a.query, b.query) || order(a.id, b.id)),
        gaps: gaps.toSorted((a, b) => order(a.what, b.what) || order(a.why, b.why)),
      }
    },
  })
  return sessionBy(reach)
}

/**
 * Pulls from a tool and never rejects: settings that cannot be read, and answers that nobody thought of, are gaps.
 * @param open reads the settings and starts the session
 */
export async function pullWith(
  title: string,
  open: () => ToolSession,
  pull: (session: ToolSession) => Promise<Partial<Pulled>>,
): Promise<Pulled> {
  let session: ToolSession
  try {
    session = open()
  } catch (error) {
    const why = error instanceof Refusal ? error.message : 'The settings cannot be read.'
    return { ...NOTHING_PULLED, gaps: [{ what: title, why }] }
  }
  try {
    return session.end(await pull(session))
  } catch {
    // What an answer may hold is checked, but a pull must not fail for what a tool sends, whatever it is.
    session.gap({ what: title, why: 'An answer could not be read.' })
    return session.end({})
  }
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The question for the next page; undefined after the last one. */
  readonly next?: Pick<Asked, 'path' | 'json' | 'form'> | undefined
}

/**
 * Reads the pages of a list until `enough`, the last one, or the cap, which leaves a gap.
 * @param read reads one answer into a page; undefined where it is no such page
 */
export async function readPages<Item>(
  session: ToolSession,
  first: Asked,
  read: (answer: Answered) => Page<Item> | undefined,
  options: { readonly pages: number; readonly enough?: (items: readonly Item[]) => boolean },
): Promise<{ readonly item: Item; readonly source: string }[]> {
  const found: { item: Item; source: string }[] = []
  const visited = new Set<string>()
  const keyOf = ({ path, json, form }: Pick<Asked, 'path' | 'json' | 'form'>) => digestOf([path, json, form])
  let question: Asked | undefined = first
  for (let page = 1; question !== undefined; page += 1) {
    visited.add(keyOf(question))
    const answer: Answered | undefined = await session.ask(question)
    if (answer === undefined) break
    const got = read(answer)
    if (got === undefined) {
      const why = `What ${session.reach.title} answers is not what was asked for.`
      session.answered(answer, { items: [], outcome: 'failed', detail: why })
      session.gap({ what: first.what, why, source: answer.id })
      break
    }
    found.push(...got.items.map((item) => ({ item, source: answer.id })))
    const next: Asked | undefined = got.next === undefined ? undefined : { ...first, ...got.next }
    const circle = next !== undefined && visited.has(keyOf(next))
    const more = next !== undefined && !circle && !options.enough?.(got.items)
    const cut = more && page >= options.pages
    session.answered(answer, {
      items: got.items,
      ...(cut ? { outcome: 'cut' as const, detail: `More pages follow; ${options.pages} are read.` } : {}),
    })
    if (circle) {
      session.gap({ what: first.what, why: 'The pages of the list lead in a circle.', source: answer.id })
    }
    if (cut) {
      session.gap({
        what: first.what,
        why: `There are more than the ${found.length} that were read.`,
        source: answer.id,
      })
    }
    question = more && !cut ? next : undefined
  }
  return found
}
