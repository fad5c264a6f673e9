/**
 * A path of requests that fail, which one change alone touches where it says what is done at it.
 *
 * Method: a line about a request that failed names its method and path, and so do the lines of code and settings that say what is done
 * at it: who is let in, who answers, with which bounds. Who is on call searches what was changed for that path. A pattern
 * of paths holds what stands before its first variable part (`/visits/**`, `/visits/:id` and `/visits/{id}` are of `/visits/today`), in
 * the ways of public frameworks. Paths that every service has tell nothing, and what several changes touch tells none of them.
 * @see https://docs.spring.io/spring-framework/reference/web/webmvc/mvc-controller/ann-requestmapping.html
 * @see https://expressjs.com/en/guide/routing.html
 * @see https://nginx.org/en/docs/http/ngx_http_core_module.html#location
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import { stepsOf } from './closeness.ts'
import type { RankedChange } from './ranked-change.ts'
import type { DiffReading } from './read-diff.ts'

/** A request as lines tell it: its method and its path. */
const REQUEST = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\w.~%/-]{2,200})/g
/** A path in quotes, or behind what settings call one; characters of patterns are part of it. */
const ROUTE =
  /(?:["'`]|\b(?:path|prefix|pathPrefix|location|route|uri)["']?[:=]? {1,4}(?:[~^=*]{1,2} )?)(\/[\w.~%:*{}<>$()[\]/-]{2,200})/g
/** Where a pattern begins to vary. */
const VARIES = /[:*{}<>$()[\]]/
/** Parts of a path that every service has. */
const EVERYWHERE =
  /^(?:|api|apis|rest|rpc|graphql|v\d+|internal|public|private|admin|web|app|health\w*|live\w*|ready\w*|ping|status|metrics|static|assets|index|login)$/i
/** A path of a file system, which another rule compares. */
const OF_FILES =
  /^\/(?:app|bin|boot|dev|etc|home|lib\d*|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)(?:\/|$)/i

const partsOf = (path: string): readonly string[] =>
  path
    .replace(/[/.]+$/, '')
    .split('/')
    .slice(1)

/** The parts of a pattern before what varies, where one of them tells anything; else none. */
function fixedParts(route: string): readonly string[] {
  if (OF_FILES.test(route)) return []
  const parts = partsOf(route)
  const end = parts.findIndex((part) => VARIES.test(part))
  const fixed = end < 0 ? parts : parts.slice(0, end)
  return fixed.every((part) => EVERYWHERE.test(part)) ? [] : fixed
}

/** Patterns of paths in the lines that a diff changes. */
const routesOf = ({ lines_gone: gone, lines_new: come }: DiffReading): readonly string[] =>
  [...gone, ...come].flatMap((line) => [...line.matchAll(ROUTE)].map(([, route = '']) => route))

/**
 * For each change the path of failing requests that it alone touches.
 * @param symptoms the heaviest first
 */
export function sharedRoutes(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = symptoms
    .filter(isOwnLine)
    .flatMap((symptom) =>
      [...symptom.text.matchAll(REQUEST)].map(([, path = '']) => ({ parts: partsOf(path), symptom })),
    )
  const found = new Map<Change, NonNullable<RankedChange['quoted']>>()
  for (const [change, diff] of said.length === 0 ? [] : diffs)
    for (const route of routesOf(diff)) {
      const fixed = fixedParts(route)
      const one = said.find(
        ({ parts }) => fixed.length > 0 && fixed.every((part, index) => part === parts[index]),
      )
      if (one !== undefined && !found.has(change))
        found.set(change, { name: `/${fixed.join('/')}`, symptom: one.symptom, how: 'routes' })
    }
  // Of one path several changes are told apart by nothing.
  const holders = new Map<string, Set<string>>()
  for (const [change, { symptom }] of found)
    holders.set(symptom.text, (holders.get(symptom.text) ?? new Set()).add(stepsOf(change)))
  return (change) => {
    const quoted = found.get(change)
    return quoted !== undefined && holders.get(quoted.symptom.text)?.size === 1 ? quoted : null
  }
}
