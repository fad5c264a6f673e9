/**
 * Changes that hardly can do harm, told by what they touch.
 */

import type { Change } from '../records/snapshot.ts'
import { isBuiltOtherwise } from './built-otherwise.ts'
import { type DiffReading, DOCUMENTATION, TESTS, wordsOf } from './read-diff.ts'
import { turnedConditions } from './turned-conditions.ts'

const STYLE = /\.(css|scss|sass|less|svg|png|jpg|gif|ico|woff2?)$|\.html$/i
const PIPELINE =
  /(^|\/)(\.github|\.gitlab-ci\.yml|\.circleci|Jenkinsfile|\.editorconfig|\.gitignore|\.prettierrc|\.eslintrc)/i
const OBSERVATION_ONLY =
  /\b(log|logger|logging|slog|console|print|printf|fmt\.Print|metrics?|prometheus|tracer?|span|otel|attribute|counter|histogram|gauge|LOG_\w+)\b/i
/** What is done when a process is told to stop, and no earlier: signal(7), Java's shutdown hooks, Python's atexit. */
const AT_SHUTDOWN =
  /\bSIG(?:TERM|INT|QUIT)\b|before_?exit|\batexit\b|add_?shutdown_?hook|on_?shutdown|@PreDestroy|\bpre_?stop\b/i
/** What only ends a part of code; a line that goes on behind its bracket, as `} catch (error) {` does, does something. */
const CLOSING = /^[})\]][})\];,]*$/
/** A type beside a name, which no compiler leaves in what runs. */
const ANNOTATION = /([)\w])\s*:\s*[A-Z][\w.<>[\]| ]*(?==[^=>]|[,){]|$)/g
/** How much is written to a log, from least to most. */
const LOG_LEVELS = ['off', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace', 'all']

/**
 * Why a change hardly can do harm, and what then remains of its score; null where nothing says so.
 * @param mechanism - how well what its diff can break fits what is observed, 0 to 1
 */
export function trivialReason(
  change: Change,
  diff: DiffReading,
  mechanism: number,
): { reason: string; factor: number } | null {
  const { files } = diff
  const all = (pattern: RegExp): boolean => files.length > 0 && files.every((path) => pattern.test(path))
  if (all(DOCUMENTATION)) return { reason: 'it touches documentation only', factor: 0.1 }
  if (all(TESTS)) return { reason: 'it touches tests only', factor: 0.1 }
  if (all(PIPELINE) && (mechanism < 0.3 || isBuiltOtherwise(diff) === 0))
    return { reason: 'it touches the build pipeline only', factor: 0.3 }
  if (all(STYLE)) return { reason: 'it touches appearance only', factor: 0.15 }
  if (isQuieter(diff)) return { reason: 'it only makes logs quieter', factor: 0.35 }
  const isCode = change.kind === 'commit' || change.kind === 'pull_request'
  if (!isCode) return null
  if (change.diff === null || change.diff === undefined || change.diff === '')
    return { reason: 'its diff is not known', factor: 0.6 }
  if (diff.size === 0) return { reason: 'it changes comments only', factor: 0.1 }
  if (isMoved(diff) && mechanism < 0.3) return { reason: 'it only moves code', factor: 0.25 }
  const [gone, fresh] = [diff.lines_gone, diff.lines_new]
  if (
    gone.length > 0 &&
    gone.length === fresh.length &&
    gone.every((line, index) => untyped(line) === untyped(fresh[index] ?? ''))
  )
    return { reason: 'it changes types only', factor: 0.15 }
  const touched = [...gone, ...fresh]
  if (touched.length > 0 && touched.every((line) => AT_SHUTDOWN.test(line)))
    return { reason: 'it acts only when a process stops', factor: 0.35 }
  if (touched.length > 0 && touched.every((line) => OBSERVATION_ONLY.test(line) || CLOSING.test(line)))
    return { reason: 'it changes logging and metrics only', factor: 0.35 }
  return null
}

/** A text between quotes, as a statement that is sent elsewhere; longer ones are data. */
const QUOTED_TEXT = /"[^"\n]{2,400}"|'[^'\n]{2,400}'|`[^`\n]{2,400}`/g

/** What something is asked for by name: a member, in the forms of most languages. */
const MEMBER = /[\w)\]](?:\??\.|->|::)([A-Za-z_]\w{2,60})/g
/** What a line declares or brings in, so that asking for it there asks nobody else. */
const DECLARES =
  /\b(?:import|from|require|use|using|include|export|function|func|fn|def|class|struct|interface|enum|type|const|let|var|val|private|public|protected|static)\b/

/**
 * A member that the new text asks for, and that neither the old text named nor a new line declares: what is moved asks for what it
 * asked for where it stood.
 */
function asksForAnother({ literals_added: fresh, lines_new: lines }: DiffReading): boolean {
  const names = new Set(fresh)
  const declared = lines.filter((line) => DECLARES.test(line)).join('\n')
  return lines.some((line) =>
    [...line.matchAll(MEMBER)].some(
      ([, name = '']) => names.has(name) && !new RegExp(`\\b${name}\\b`).test(declared),
    ),
  )
}

/** Next to nothing is new, nobody is asked for something else, no condition is turned, and no statement in quotes lost a word for good: a clause of a query may be a single one. */
function isMoved(diff: DiffReading): boolean {
  const { net_share, settings, net_removed, lines_gone, added } = diff
  if (net_share >= 0.1 || settings.length > 0 || asksForAnother(diff)) return false
  if (turnedConditions(diff).length > 0) return false
  const left = new Set(added.flatMap(wordsOf))
  const lost = net_removed.filter((word) => !left.has(word))
  return !lines_gone.some((line) =>
    (line.match(QUOTED_TEXT) ?? []).some(
      (text) => text.includes(' ') && wordsOf(text).some((word) => lost.includes(word)),
    ),
  )
}

const untyped = (line: string): string => line.replace(ANNOTATION, '$1').replace(/\s+/g, '')

/** Nothing but levels of logs changes, and every one of them to write less. */
function isQuieter({ settings, lines_gone, lines_new }: DiffReading): boolean {
  const level = (text: string): number => LOG_LEVELS.indexOf(text.replace(/["']/g, '').toLowerCase())
  return (
    settings.length > 0 &&
    lines_gone.length <= settings.length &&
    lines_new.length <= settings.length &&
    settings.every(({ before, after }) => level(after) >= 0 && level(after) < level(before))
  )
}
