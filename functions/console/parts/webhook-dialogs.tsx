import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call } from '../api.ts'
import { type Doing, useDoing } from '../use-answer.ts'
import { EVENT_KINDS, EVENT_WORDS, type EventKind, newSecret, type Webhook } from '../webhook-words.ts'
import { CopyButton } from './copy-button.tsx'
import { DialogBox, DialogEnd } from './dialog-box.tsx'
import { CheckField, ChoiceField, TextField } from './form-field.tsx'

interface Ways {
  readonly onClose: () => void
  readonly onDone: () => void
}

/** A dialog whose form does one thing and closes when it is done. */
function FormDialog({
  title,
  confirm,
  doing,
  act,
  onClose,
  onDone,
  children,
}: Ways & {
  readonly title: string
  readonly confirm: string
  readonly doing: Doing
  readonly act: () => Promise<unknown>
  readonly children: ComponentChildren
}) {
  const submit = async () => {
    if (await doing.run(act)) onDone()
  }
  return (
    <DialogBox title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {children}
        <DialogEnd doing={doing} confirm={confirm} onClose={onClose} />
      </form>
    </DialogBox>
  )
}

function EventFields({
  chosen,
  problem,
  onChosen,
}: {
  readonly chosen: readonly EventKind[]
  readonly problem: string | undefined
  readonly onChosen: (chosen: readonly EventKind[]) => void
}) {
  return (
    <fieldset>
      <legend>Events</legend>
      {EVENT_KINDS.map((kind) => (
        <CheckField
          key={kind}
          label={`${EVENT_WORDS[kind]} (${kind})`}
          checked={chosen.includes(kind)}
          onValue={(checked) =>
            onChosen(checked ? [...chosen, kind] : chosen.filter((each) => each !== kind))
          }
        />
      ))}
      {problem !== undefined && <p class="problem">{problem}</p>}
    </fieldset>
  )
}

/** A secret that receivers check signatures with: one is proposed; it is never shown again. */
function SecretField({
  value,
  problem,
  onValue,
}: {
  readonly value: string
  readonly problem: string | undefined
  readonly onValue: (value: string) => void
}) {
  return (
    <>
      <TextField
        label="Secret"
        hint="Every event is signed with it. Copy it to the receiver now: it is not shown again."
        value={value}
        onValue={onValue}
        problem={problem}
        required
        maxLength={256}
        autocomplete="off"
        spellcheck={false}
      />
      <p>
        <CopyButton text={value} label="Copy the secret" />
      </p>
    </>
  )
}

/** Subscribes a receiver, or changes where and of what a subscription tells. */
export function SubscriptionDialog({
  of,
  onClose,
  onDone,
}: Ways & {
  /** The subscription to change; none for a new one. */
  readonly of?: Webhook
}) {
  const [url, setUrl] = useState(of?.url ?? '')
  const [events, setEvents] = useState<readonly EventKind[]>(
    of?.events ?? ['incident.created', 'incident.resolved'],
  )
  const [secret, setSecret] = useState(newSecret)
  const doing = useDoing()
  const act = () => {
    const body = { url, events: [...events] }
    return of === undefined
      ? call('POST /webhooks', { body: { ...body, secret } })
      : call('PATCH /webhooks/{id}', { path: { id: of.id }, body })
  }
  const isNew = of === undefined
  return (
    <FormDialog
      title={isNew ? 'Subscribe a receiver' : 'Change the subscription'}
      confirm={isNew ? 'Subscribe' : 'Save'}
      doing={doing}
      act={act}
      onClose={onClose}
      onDone={onDone}
    >
      <TextField
        label="Address"
        hint="Where events are posted to, by https."
        type="url"
        value={url}
        onValue={setUrl}
        problem={doing.error?.reasonOf('url')}
        required
        autocomplete="off"
      />
      <EventFields chosen={events} problem={doing.error?.reasonOf('events')} onChosen={setEvents} />
      {isNew && <SecretField value={secret} problem={doing.error?.reasonOf('secret')} onValue={setSecret} />}
    </FormDialog>
  )
}

const HOUR_S = 3_600
const OVERLAPS = [
  ['0', 'No: it ends at once'],
  [String(24 * HOUR_S), 'For a day'],
  [String(7 * 24 * HOUR_S), 'For a week'],
] as const

/** Replaces the secret of a subscription. */
export function SecretDialog({ of, ...ways }: Ways & { readonly of: Webhook }) {
  const [secret, setSecret] = useState(newSecret)
  const [overlap, setOverlap] = useState(String(24 * HOUR_S))
  const doing = useDoing()
  const act = () => {
    const body = { secret, overlap_seconds: Number(overlap) }
    return call('POST /webhooks/{id}/rotate-secret', { path: { id: of.id }, body })
  }
  return (
    <FormDialog title="Rotate the secret" confirm="Rotate" doing={doing} act={act} {...ways}>
      <SecretField value={secret} problem={doing.error?.reasonOf('secret')} onValue={setSecret} />
      <ChoiceField
        label="Does the present secret still sign?"
        hint="Meanwhile each event carries both signatures."
        value={overlap}
        choices={OVERLAPS}
        onValue={setOverlap}
      />
    </FormDialog>
  )
}

const DAY_MS = 86_400_000
/** The API takes at most 14 days; the last choice stays below it while somebody thinks. */
const SPANS = [
  ['1', 'The last day'],
  ['7', 'The last week'],
  ['13', 'The last 13 days'],
] as const

/** Sends everything again that failed since a while. */
export function RecoveryDialog({ of, ...ways }: Ways & { readonly of: Webhook }) {
  const [days, setDays] = useState('1')
  const doing = useDoing()
  const act = () => {
    const since = new Date(Date.now() - Number(days) * DAY_MS).toISOString()
    return call('POST /webhooks/{id}/recover', { path: { id: of.id }, body: { since } })
  }
  return (
    <FormDialog title="Send again what failed" confirm="Send again" doing={doing} act={act} {...ways}>
      <ChoiceField label="Failed in" value={days} choices={SPANS} onValue={setDays} />
    </FormDialog>
  )
}
