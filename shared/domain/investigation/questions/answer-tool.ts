/** Answers to whether one tool was asked and answered: what became of each request to it, or that none was made. */

import { EvidenceList } from '../hypotheses/evidence-list.ts'
import { requestLines } from './answer-doubts.ts'
import { type Ground, namesText, notKnown, type Reply, say, stated } from './answer-ground.ts'
import type { AskedTool } from './asked-tool.ts'

/** Tools that are named to somebody who asks after one that was not asked. */
const MOST_TOOLS = 10

/** A tool that is connected, as far as it is told. */
export interface ConnectedTool {
  readonly id: string
  readonly type: string
  readonly status: string
}

/**
 * What became of every request to a tool. Where none is on record, why: its own gap, that it is connected and was not
 * asked, or that no such tool is connected.
 */
export function answerTool(
  ground: Ground,
  { type, name }: AskedTool,
  connected: readonly ConnectedTool[],
): Reply {
  const { snapshot } = ground
  const evidence = new EvidenceList(snapshot)
  const isOwn = (tool: string): boolean => tool === type || tool.toLowerCase() === name
  const own = snapshot.sources.filter(({ tool }) => isOwn(tool))
  const gaps = snapshot.gaps.filter(
    ({ what, source }) =>
      (type !== null && what.endsWith(`(${type})`)) || own.some(({ id }) => id === source),
  )
  const missing = gaps.map(({ what, why }) => `Not known is ${what}: ${why}`)
  const [first] = own
  if (first !== undefined) {
    const lines = requestLines(own, name, evidence)
    lines.push(...missing.map((line) => say(evidence, ['integrations', 'absence'], line, first.id)))
    return stated(ground, lines.join('\n'), evidence)
  }
  const [one] = connected.filter((tool) => isOwn(tool.type))
  const reason =
    one === undefined
      ? 'no such tool is connected'
      : one.status === 'disabled'
        ? `${one.id} is connected and disabled`
        : `${one.id} is connected, and no request to it is on record for this answer`
  const tools = [...new Set(snapshot.sources.map(({ tool }) => tool))].sort()
  const asked = tools.length === 0 ? 'No tool was asked.' : `Asked were: ${namesText(tools, MOST_TOOLS)}.`
  const known = one?.status === 'disabled' ? [] : missing
  const lines = [`Nothing was asked of ${name}: ${reason}.`, ...known, asked]
  const [record] = snapshot.sources
  if (record === undefined) return notKnown(ground, lines.join('\n'))
  for (const line of lines) evidence.add('integrations', 'absence', line, record.id)
  return stated(ground, lines.join('\n'), evidence)
}
