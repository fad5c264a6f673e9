import { useState } from 'preact/hooks'
import { type AnswerOf, call } from '../api.ts'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { ConfirmDialog, DialogBox, DialogEnd } from '../parts/dialog-box.tsx'
import { ChoiceField, TextField } from '../parts/form-field.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { CopiedValue, ToldOnce } from '../parts/shown-once.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { mayChange } from '../session.ts'
import { useDoing } from '../use-answer.ts'
import { usePagesOf } from '../use-pages-of.ts'

type Key = AnswerOf<'GET /keys'>['keys'][number]
type KeyType = Key['type']
type Plan = Key['plan']

const TYPES: readonly (readonly [KeyType, string])[] = [
  ['assistant', 'Assistant: asks questions and reads the answers'],
  ['admin', 'Admin: everything but keys'],
]
const PLANS: readonly (readonly [Plan, string])[] = [
  ['standard', 'Standard: 100 requests a minute'],
  ['enterprise', 'Enterprise: 1,000 requests a minute'],
]
const DAY_MS = 86_400_000
/** Days until a key ends; keys that never do are a choice that somebody has to make. */
const LIVES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Never'],
] as const
const HOUR_S = 3_600
/** Seconds for which the value before a rotation still counts. */
const OVERLAPS = [
  ['0', 'No: it is refused at once'],
  [String(HOUR_S), 'For an hour'],
  [String(24 * HOUR_S), 'For a day'],
  [String(7 * 24 * HOUR_S), 'For a week'],
] as const
/** A key that ends within it should be replaced now. */
const SOON_MS = 7 * DAY_MS

function KeyState({ of: { revoked_at, expires_at } }: { readonly of: Key }) {
  if (revoked_at !== null)
    return (
      <>
        <StatusBadge tone="calm">revoked</StatusBadge> <InstantText at={revoked_at} />
      </>
    )
  if (expires_at === null) return <StatusBadge tone="good">active</StatusBadge>
  const left = Date.parse(expires_at) - Date.now()
  if (left <= 0) return <StatusBadge tone="calm">expired</StatusBadge>
  return (
    <>
      <StatusBadge tone={left < SOON_MS ? 'warning' : 'good'}>active</StatusBadge> until{' '}
      <InstantText at={expires_at} />
    </>
  )
}

/** The one look at a value: when it is closed, the value is gone. */
function ValueDialog({
  name,
  value,
  warnings,
  onClose,
}: {
  readonly name: string
  readonly value: string | null
  readonly warnings: readonly string[]
  readonly onClose: () => void
}) {
  return (
    <DialogBox title={`The value of ${name}`} onClose={onClose}>
      {value === null ? (
        <p>The value was told before and is not told again. Rotate the key to get a new one.</p>
      ) : (
        <CopiedValue
          says="Copy it now: it is shown this once and kept nowhere."
          value={value}
          label="Copy the key"
        />
      )}
      <ToldOnce warnings={warnings} onClose={onClose} />
    </DialogBox>
  )
}

function CreateDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void
  readonly onMade: (made: AnswerOf<'POST /keys'>) => void
}) {
  const [name, setName] = useState('')
  const [type, setType] = useState<KeyType>('assistant')
  const [plan, setPlan] = useState<Plan>('standard')
  const [days, setDays] = useState('90')
  const doing = useDoing()
  const submit = async () => {
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    await doing.run(async () => onMade(await call('POST /keys', { body: { name, type, plan, expires_at } })))
  }
  return (
    <DialogBox title="Create an API key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <TextField
          label="Name"
          hint="What uses it, such as the name of a program."
          value={name}
          onValue={setName}
          problem={doing.error?.reasonOf('name')}
          required
          maxLength={100}
          autocomplete="off"
        />
        <ChoiceField
          label="May do"
          value={type}
          choices={TYPES}
          onValue={(chosen) => setType(chosen as KeyType)}
        />
        <ChoiceField
          label="Plan"
          value={plan}
          choices={PLANS}
          onValue={(chosen) => setPlan(chosen as Plan)}
        />
        <ChoiceField
          label="Ends after"
          value={days}
          choices={LIVES}
          onValue={setDays}
          problem={doing.error?.reasonOf('expires_at')}
        />
        <DialogEnd doing={doing} confirm="Create" onClose={onClose} />
      </form>
    </DialogBox>
  )
}

function RotateDialog({
  of,
  onClose,
  onRotated,
}: {
  readonly of: Key
  readonly onClose: () => void
  readonly onRotated: (made: AnswerOf<'POST /keys/{id}/rotate'>) => void
}) {
  const [overlap, setOverlap] = useState(String(24 * HOUR_S))
  const doing = useDoing()
  const submit = async () => {
    const body = { overlap_seconds: Number(overlap) }
    await doing.run(async () =>
      onRotated(await call('POST /keys/{id}/rotate', { path: { id: of.id }, body })),
    )
  }
  return (
    <DialogBox title={`Rotate ${of.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <p>The key gets a new value, and keeps its name, its rights and its limit.</p>
        <ChoiceField
          label="Does the present value still count?"
          value={overlap}
          choices={OVERLAPS}
          onValue={setOverlap}
        />
        <DialogEnd doing={doing} confirm="Rotate" onClose={onClose} />
      </form>
    </DialogBox>
  )
}

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly key: Key }
  | {
      readonly dialog: 'value'
      readonly name: string
      readonly value: string | null
      readonly warnings: readonly string[]
    }

const isOver = ({ revoked_at, expires_at }: Key): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())

function columnsFor(open: (what: Open) => void): Column<Key>[] {
  return [
    { title: 'Name', isHead: true, cell: ({ name }) => name },
    { title: 'Key', cell: ({ prefix, last4 }) => <code>{`${prefix}…${last4}`}</code> },
    { title: 'May do', cell: ({ type }) => type },
    { title: 'Plan', cell: ({ plan }) => plan },
    { title: 'State', cell: (key) => <KeyState of={key} /> },
    {
      title: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <InstantText at={last_used_at} />),
    },
    {
      title: 'Made',
      cell: ({ created_by, created_at }) => (
        <>
          <InstantText at={created_at} /> by {created_by}
        </>
      ),
    },
    {
      title: 'Change',
      cell: (key) =>
        isOver(key) ? null : (
          <span class="buttons">
            <button
              type="button"
              aria-label={`Rotate ${key.name}`}
              onClick={() => open({ dialog: 'rotate', key })}
            >
              Rotate
            </button>
            <button
              type="button"
              aria-label={`Revoke ${key.name}`}
              onClick={() => open({ dialog: 'revoke', key })}
            >
              Revoke
            </button>
          </span>
        ),
    },
  ]
}

function KeyList() {
  const list = usePagesOf('GET /keys')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const keys = list.pages.flatMap((page) => page.keys)
  const tell = (made: { name: string; value: string | null; warnings?: string[] | undefined }) => {
    setOpen({ dialog: 'value', name: made.name, value: made.value, warnings: made.warnings ?? [] })
    list.reload()
  }
  return (
    <Page
      title="API keys"
      actions={
        <button type="button" class="primary" onClick={() => setOpen({ dialog: 'create' })}>
          Create a key
        </button>
      }
    >
      <p class="lead">
        Programs show a key to use the API. A revoked key is refused from the very next request.
      </p>
      {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
      {list.pages.length === 0 && list.isLoading && <Loading what="keys" />}
      {list.pages.length > 0 && keys.length === 0 && (
        <Empty title="There are no keys yet.">
          <p>Create one for each program that is to use the API.</p>
        </Empty>
      )}
      {keys.length > 0 && (
        <DataTable caption="API keys" columns={columnsFor(setOpen)} rows={keys} keyOf={({ id }) => id} />
      )}
      <MoreButton more={list.more} state={list.moreState} />
      {open?.dialog === 'create' && <CreateDialog onClose={close} onMade={tell} />}
      {open?.dialog === 'rotate' && <RotateDialog of={open.key} onClose={close} onRotated={tell} />}
      {open?.dialog === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${open.key.name}?`}
          confirm="Revoke"
          act={() => call('DELETE /keys/{id}', { path: { id: open.key.id } })}
          onClose={close}
          onDone={() => {
            close()
            list.reload()
          }}
        >
          <p>Whoever uses it is refused from the very next request. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      {open?.dialog === 'value' && (
        <ValueDialog name={open.name} value={open.value} warnings={open.warnings} onClose={close} />
      )}
    </Page>
  )
}

/** Settings → API keys: people with the right to change things make, rotate and revoke keys here. */
export function ApiKeys() {
  if (!mayChange.value)
    return (
      <Page title="API keys">
        <Empty title="Administrators manage API keys.">
          <p>You are signed in as somebody who reads. Ask an administrator for a key.</p>
        </Empty>
      </Page>
    )
  return <KeyList />
}
