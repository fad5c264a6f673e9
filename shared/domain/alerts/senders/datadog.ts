import { alertsAlone, DESCRIPTION_LENGTH, nothing, type ReadSent, TITLE_LENGTH } from '../alert.ts'
import { serviceOfTags } from '../datadog-tags.ts'
import { instantOf, labelsOf, lineOf, linkOf, objectOf, textOf } from '../payload-fields.ts'
import { knownSeverity } from '../severity-map.ts'

/** Without a priority, what kind of alert it is says how bad it is. */
const BY_KIND: Readonly<Record<string, 'high' | 'medium' | 'low'>> = {
  error: 'high',
  warning: 'medium',
  success: 'low',
  info: 'low',
}

/** `a:1,b:2,c` as labels. */
const tagsOf = (text: string | null): Readonly<Record<string, string>> =>
  labelsOf(
    Object.fromEntries(
      (text ?? '').split(',').flatMap((tag) => {
        const at = tag.indexOf(':')
        return at > 0 ? [[tag.slice(0, at).trim(), tag.slice(at + 1).trim()]] : []
      }),
    ),
  )

/**
 * Reads what Datadog sends when its webhook has our template (docs name it), and the names that others' templates use
 * for the same variables. One message is one monitor in one scope.
 */
export const readDatadog: ReadSent = ({ body, received_at }) => {
  const payload = objectOf(body)
  const monitor = textOf(payload.alert_id, payload.monitor_id)
  const transition = textOf(payload.transition, payload.alert_transition)
  if (monitor === null || transition === null) return nothing('neither a monitor nor its transition')
  const scope = textOf(payload.scope, payload.scopes)
  const resolved = /recovered/i.test(transition)
  const kind = textOf(payload.type, payload.alert_type) ?? ''
  const at = instantOf(payload.date, payload.last_updated) ?? received_at
  const labels = { ...tagsOf(textOf(payload.tags)), ...tagsOf(scope) }
  const title = textOf(payload.title) ?? `Monitor ${monitor}`
  return alertsAlone([
    {
      fingerprint: JSON.stringify([monitor, scope]),
      status: resolved ? 'resolved' : 'firing',
      at,
      severity: knownSeverity(textOf(payload.priority, payload.severity)) ?? BY_KIND[kind] ?? 'medium',
      title: lineOf(title, TITLE_LENGTH),
      description: textOf(payload.text, payload.body)?.slice(0, DESCRIPTION_LENGTH) ?? null,
      labels,
      service: serviceOfTags(labels) ?? null,
      sender_group: textOf(payload.aggregate, monitor),
      starts_at: resolved ? null : at,
      ends_at: resolved ? at : null,
      url: linkOf(payload.link, payload.url),
      ending: 'tells',
    },
  ])
}
