import { invalidField } from '#shared/domain/errors.ts'
import type { CheckResult } from '#shared/domain/integration.ts'
import {
  askTool,
  type Question,
  type ToolAnswer,
  type ToolDeps,
  type ToolFailure,
  type ToolReach,
} from './tool-request.ts'

/** Time that the questions of one check have, in milliseconds; the check's own signal may end it earlier. */
const CHECK_MS = 4500

/** Ends a check: the tool is there no further than this. */
class ToolNotThere extends Error {
  readonly why: string

  constructor(why: string) {
    super(why)
    this.why = why
  }
}

/** How a check asks. */
export interface Asking {
  /**
   * Asks what the tool must answer.
   * @throws what ends the check: a refusal that names the credential, or that the tool is not there
   */
  must(question: Question): Promise<ToolAnswer>
  /** Asks what the tool may leave unanswered: the failure is for the check to judge. */
  may(question: Question): Promise<ToolAnswer | ToolFailure>
  /** Ends the check: what answers is not what it should be. */
  fail(why: string): never
}

/**
 * Checks settings live.
 * @param look asks the tool; gives what is missing, each as a part of a sentence, and what is there
 * @throws Refusal `invalid` naming the credential that the tool refuses, or the address that our own guard refuses
 */
export async function checkTool(
  deps: ToolDeps,
  reach: ToolReach,
  signal: AbortSignal,
  look: (ask: Asking) => Promise<{ readonly missing: readonly string[]; readonly there?: string }>,
): Promise<CheckResult> {
  const end = deps.now() + CHECK_MS
  const may = (question: Question) => askTool(deps, reach, question, Math.max(0, end - deps.now()), signal)
  const fail = (why: string): never => {
    throw new ToolNotThere(why)
  }
  const must = async (question: Question): Promise<ToolAnswer> => {
    const answer = await may(question)
    if (answer.ok) return answer
    if (answer.kind === 'refused') throw invalidField(reach.credential, answer.why)
    if (answer.kind === 'forbidden') throw invalidField('config.base_url', answer.why)
    return fail(answer.why)
  }
  try {
    const { missing, there } = await look({ must, may, fail })
    const parts = [...missing, ...(there === undefined ? [] : [there])]
    return {
      status: missing.length === 0 ? 'connected' : 'degraded',
      detail: parts.length === 0 ? null : parts.join('; '),
    }
  } catch (error) {
    if (error instanceof ToolNotThere) return { status: 'error', detail: error.why }
    throw error
  }
}
