/** Which tool a question about what was asked asks after: one that can be connected, or any other by its name. */

/** What people call the kinds of tools that can be connected, each with the type that requests to it are recorded under. */
const CALLED: readonly (readonly [RegExp, string])[] = [
  [/\balert[ -]?manager\b/, 'alertmanager'],
  [/\bbundles?\b/, 'bundle'],
  [/\b(?:amazon |aws )?cloud[ -]?watch\b|\baws\b/, 'cloudwatch'],
  [/\bdata[ -]?dog\b/, 'datadog'],
  [/\bgit[ -]?hub\b/, 'github'],
  [/\bgrafana\b/, 'grafana'],
  [/\b(?:kubernetes|kube|k8s)\b/, 'kubernetes'],
  [/\bloki\b/, 'loki'],
  [/\bopen[ -]?search\b/, 'opensearch'],
  [/\bpager[ -]?duty\b/, 'pagerduty'],
  [/\bprom(?:etheus)?\b/, 'prometheus'],
  [/\bsentry\b/, 'sentry'],
  [/\bstatus[ -]?pages?\b/, 'statuspage'],
  [/\b(?:tempo|jaeger)\b/, 'tempo'],
  [/\bwebhooks?\b/, 'webhook'],
]
/** Where the name of a tool stands that nothing is known of; the group is the name. */
const NAMED: readonly RegExp[] = [
  /^(?:is|are|was|were|did|does|has|have|do we have) (?:the |our |a |an )?(\S{2,30}?) (?:connected|integrated|hooked up|plugged in|answer(?:ed|ing)?|respond(?:ed|ing)?|repl(?:y|ied)|asked|queried)[ ?!.]*$/,
  /\byou (?:not )?(?:ask|asked|query|queried|check|checked|use|used|read|look at|looked at) (?:the |our |any )?([\p{L}][\p{L}\p{N}_.-]{1,30})[ ?!.]*$/u,
]
/** Words that stand there and name no tool. */
const NO_NAME =
  /^(?:it|this|that|them|they|there|all|any\w*|every\w*|some\w*|no\w*|what\w*|which|who|tools?|(?:data ?)?sources?|integrations?|connectors?|queries|metrics|logs?|traces?|spans|changes|deploys?|commits|alerts?|evidence|data|you|we|us|i|one|others?|first|twice|again|already|now|anyway|really|else)$/

/** Tools that a team runs to look with; whether one of them is there is asked of what was asked of it. */
const LOOKS_WITH =
  /^(?:and |so )?(?:is|was|are|were) (?:the |our )?(?:prom(?:etheus)?|grafana|loki|tempo|jaeger|alert[ -]?manager|open[ -]?search|cloud[ -]?watch) (?:still |also |even )?(?:reachable|up|down|there|available|online|offline|working|ok(?:ay)?|alive|healthy)[ ?!.]*$/
/** Whether plain lower-case words ask if a tool that is looked with is there. */
export const asksOfTool = (plain: string): boolean => LOOKS_WITH.test(plain)

export interface AskedTool {
  /** The type that requests to it are recorded under; null where no tool of that name can be connected. */
  readonly type: string | null
  /** As the question calls it. */
  readonly name: string
}

/** The tool that a question in plain lower-case words asks after; null where it asks after none, or after all. */
export function toolAsked(plain: string): AskedTool | null {
  for (const [pattern, type] of CALLED) {
    const name = pattern.exec(plain)?.[0]
    if (name !== undefined) return { type, name }
  }
  for (const pattern of NAMED) {
    const name = pattern.exec(plain)?.[1]?.replace(/[.-]+$/, '')
    if (name !== undefined && !NO_NAME.test(name)) return { type: null, name }
  }
  return null
}
