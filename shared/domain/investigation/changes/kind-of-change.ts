/**
 * What kind of cause a change is.
 */
import type { CauseKind } from '../findings.ts'
import type { RankedChange } from './ranked-change.ts'

const CONFIG_FILE = /\.(ya?ml|toml|ini|conf|cfg|env|properties|tfvars|json)$|(^|\/)config(s)?\//i

/** The kind of cause, by what the change is, by what it can break and by the files that it touches. */
export function kindOfChange(entry: RankedChange): CauseKind {
  const { change, mechanism, diff } = entry
  if (change.kind === 'flag') return 'flag'
  if (change.kind === 'config') return 'config'
  if (change.kind === 'infra' || change.kind === 'scale') return 'infra'
  if (mechanism?.mechanism.kind === 'dependency') return 'dependency'
  if (diff.files.length > 0 && diff.files.every((path) => CONFIG_FILE.test(path))) return 'config'
  if (diff.files.some((path) => /\.tf$|terraform|helm|charts?\//i.test(path))) return 'infra'
  return 'code'
}
