import { useState } from 'preact/hooks'
import {
  INTEGRATION_TYPES,
  type IntegrationField,
  type IntegrationType,
} from '#shared/domain/integration-types.ts'
import { type AnswerOf, type ApiError, type BodyOf, call } from '../api.ts'
import { changedSettings, newSettings, type Written, writtenSettings } from '../integration-form.ts'
import { ConfirmDialog, DialogBox, DialogEnd } from '../parts/dialog-box.tsx'
import { ChoiceField, LinesField, TextField } from '../parts/form-field.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { CopiedValue, ToldOnce } from '../parts/shown-once.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { StatusBadge, type Tone } from '../parts/status-badge.tsx'
import { mayChange } from '../session.ts'
import { useDoing } from '../use-answer.ts'
import { usePagesOf } from '../use-pages-of.ts'

type Integration = AnswerOf<'GET /integrations'>['integrations'][number]

const TONES: Readonly<Record<Integration['status'], Tone>> = {
  pending: 'busy',
  connected: 'good',
  degraded: 'warning',
  error: 'bad',
  disabled: 'calm',
}

const TYPES: readonly IntegrationType[] = INTEGRATION_TYPES
const typeOf = (name: string): IntegrationType | undefined => TYPES.find(({ type }) => type === name)
const titleOf = (name: string): string => typeOf(name)?.title ?? name
/** Parts of names that people write in capitals. */
const CAPITALS = new Map([
  ['url', 'URL'],
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['uids', 'UIDs'],
  ['arn', 'ARN'],
  ['arns', 'ARNs'],
])
/** `private_key` as people write it. */
const wordsOf = (name: string): string =>
  name
    .split('_')
    .map((word) => CAPITALS.get(word) ?? word)
    .join(' ')
const labelOf = ({ name, required }: IntegrationField): string => {
  const words = wordsOf(name)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${required ? '' : ' (optional)'}`
}

const LINES_HINT: Partial<Record<IntegrationField['kind'], string>> = {
  list: 'One a line.',
  map: 'One a line: name = value.',
  repositories: 'One a line: owner/name, or service = owner/name.',
}

/** The field of a form that a row of the table of types describes. */
function SettingField({
  field,
  value,
  isKept,
  error,
  onValue,
}: {
  readonly field: IntegrationField
  readonly value: string
  /** A sensitive setting that is there already and is never answered. */
  readonly isKept: boolean
  readonly error: ApiError | undefined
  readonly onValue: (value: string) => void
}) {
  const hint = [
    field.hint,
    LINES_HINT[field.kind],
    isKept ? 'It is set: leave it empty to keep it.' : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ')
  const shared = {
    label: labelOf(field),
    hint,
    value,
    onValue,
    problem: error?.reasonOf(`config.${field.name}`),
  }
  const required = field.required && !isKept
  switch (field.kind) {
    case 'choice':
    case 'boolean': {
      const choices = field.kind === 'boolean' ? ['true', 'false'] : (field.choices ?? [])
      const none = required ? [] : [['', 'as usual'] as const]
      return <ChoiceField {...shared} choices={[...none, ...choices.map((each) => [each, each] as const)]} />
    }
    case 'text':
    case 'list':
    case 'map':
    case 'repositories':
      return <LinesField {...shared} required={required} spellcheck={false} />
    case 'secret':
      return <TextField {...shared} required={required} type="password" autocomplete="new-password" />
    case 'url':
      return <TextField {...shared} required={required} type="url" autocomplete="off" />
    case 'number':
      return <TextField {...shared} required={required} inputMode="numeric" autocomplete="off" />
    case 'string':
      return <TextField {...shared} required={required} autocomplete="off" spellcheck={false} />
  }
}

function SettingFields({
  fields,
  written,
  config = {},
  error,
  onWritten,
}: {
  readonly fields: readonly IntegrationField[]
  readonly written: Written
  readonly config?: Readonly<Record<string, unknown>>
  readonly error: ApiError | undefined
  readonly onWritten: (written: Written) => void
}) {
  return (
    <>
      {fields.map((field) => (
        <SettingField
          key={field.name}
          field={field}
          value={written[field.name] ?? ''}
          isKept={field.sensitive && config[`has_${field.name}`] === true}
          error={error}
          onValue={(value) => onWritten({ ...written, [field.name]: value })}
        />
      ))}
    </>
  )
}

type Connected = AnswerOf<'POST /integrations'>

/** The one look at an ingest token: when it is closed, the token is gone. */
function IngestDialog({ of, onClose }: { readonly of: Connected; readonly onClose: () => void }) {
  const { ingest } = of
  if (ingest === null) return null
  return (
    <DialogBox title={`${titleOf(of.type)} may send its alerts`} onClose={onClose}>
      <CopiedValue says="Where it is to send them:" value={ingest.url} label="Copy the address" />
      {ingest.token === null ? null : (
        <CopiedValue
          says="What it proves itself by; copy it now, it is shown this once:"
          value={ingest.token}
          label="Copy the token"
        />
      )}
      <ToldOnce warnings={of.warnings} onClose={onClose} />
    </DialogBox>
  )
}

function ConnectDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void
  readonly onMade: (made: Connected) => void
}) {
  const [type, setType] = useState<string>(TYPES[0]?.type ?? '')
  const [written, setWritten] = useState<Written>({})
  const doing = useDoing()
  const row = typeOf(type)
  const submit = async () => {
    const body = { type, config: newSettings(row?.fields ?? [], written) } as BodyOf<'POST /integrations'>
    await doing.run(async () => onMade(await call('POST /integrations', { body })))
  }
  return (
    <DialogBox title="Connect a tool" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <ChoiceField
          label="Tool"
          hint={row?.hint}
          value={type}
          choices={TYPES.map((each) => [each.type, each.title] as const)}
          onValue={(chosen) => {
            setType(chosen)
            setWritten({})
            doing.forget()
          }}
        />
        <SettingFields
          key={type}
          fields={row?.fields ?? []}
          written={written}
          error={doing.error}
          onWritten={setWritten}
        />
        <DialogEnd doing={doing} confirm="Connect" onClose={onClose} />
      </form>
    </DialogBox>
  )
}

function SettingsDialog({
  of,
  onClose,
  onChanged,
}: {
  readonly of: Integration
  readonly onClose: () => void
  readonly onChanged: () => void
}) {
  const fields = typeOf(of.type)?.fields ?? []
  const [before] = useState(() => writtenSettings(fields, of.config))
  const [written, setWritten] = useState<Written>(before)
  const doing = useDoing()
  const submit = async () => {
    const config = changedSettings(fields, before, written)
    const isSame = Object.keys(config).length === 0
    const change = () => call('PATCH /integrations/{id}', { path: { id: of.id }, body: { config } })
    if (isSame || (await doing.run(change))) onChanged()
  }
  return (
    <DialogBox title={`Settings of ${titleOf(of.type)}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <SettingFields
          fields={fields}
          written={written}
          config={of.config}
          error={doing.error}
          onWritten={setWritten}
        />
        <DialogEnd doing={doing} confirm="Save and check" onClose={onClose} />
      </form>
    </DialogBox>
  )
}

/** A setting as one line of a card; what is sensitive is only ever said to be set. */
function settingText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, each]) => `${name} = ${String(each)}`)
      .join(', ')
  return String(value)
}

const factsOf = (config: Integration['config']): [name: string, text: string][] =>
  Object.entries(config).flatMap(([name, value]): [string, string][] => {
    if (!name.startsWith('has_')) return [[wordsOf(name), settingText(value)]]
    return value === true ? [[wordsOf(name.slice(4)), 'set']] : []
  })

function IntegrationCard({
  of,
  onOpen,
  onChanged,
}: {
  readonly of: Integration
  readonly onOpen: (dialog: 'settings' | 'disconnect') => void
  readonly onChanged: () => void
}) {
  const doing = useDoing()
  const title = titleOf(of.type)
  const enable = async (enabled: boolean) => {
    const change = () => call('PATCH /integrations/{id}', { path: { id: of.id }, body: { enabled } })
    if (await doing.run(change)) onChanged()
  }
  const isDisabled = of.status === 'disabled'
  return (
    <li class="card">
      <div class="card-head">
        <h2>{title}</h2>
        <StatusBadge tone={TONES[of.status] ?? 'calm'}>{of.status}</StatusBadge>
      </div>
      {of.status_detail !== null && <p>{of.status_detail}</p>}
      <dl class="facts">
        {factsOf(of.config).map(([name, text]) => [
          <dt key={`${name}-name`}>{name}</dt>,
          <dd key={name}>{text}</dd>,
        ])}
        {of.ingest !== null && [
          <dt key="ingest-name">sends to</dt>,
          <dd key="ingest">
            <code>{of.ingest.url}</code>
          </dd>,
        ]}
        <dt>connected</dt>
        <dd>{of.connected_at === null ? 'never' : <InstantText at={of.connected_at} />}</dd>
        <dt>changed</dt>
        <dd>
          <InstantText at={of.updated_at} />
        </dd>
      </dl>
      {doing.error !== undefined && <Failure error={doing.error} />}
      {mayChange.value && (
        <div class="buttons">
          <button
            type="button"
            aria-disabled={doing.isBusy}
            aria-label={`${isDisabled ? 'Enable' : 'Check now'}: ${title} ${of.id}`}
            onClick={() => void enable(true)}
          >
            {doing.isBusy ? 'Checking…' : isDisabled ? 'Enable' : 'Check now'}
          </button>
          <button type="button" aria-label={`Settings: ${title} ${of.id}`} onClick={() => onOpen('settings')}>
            Settings
          </button>
          {!isDisabled && (
            <button
              type="button"
              aria-disabled={doing.isBusy}
              aria-label={`Disable: ${title} ${of.id}`}
              onClick={() => void enable(false)}
            >
              Disable
            </button>
          )}
          <button
            type="button"
            aria-label={`Disconnect: ${title} ${of.id}`}
            onClick={() => onOpen('disconnect')}
          >
            Disconnect
          </button>
        </div>
      )}
    </li>
  )
}

type Open =
  | { readonly dialog: 'connect' }
  | { readonly dialog: 'ingest'; readonly made: Connected }
  | { readonly dialog: 'settings' | 'disconnect'; readonly integration: Integration }

/** Integrations: the tools that are asked, how each is doing, and how to connect one. */
export function Integrations() {
  const list = usePagesOf('GET /integrations')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    list.reload()
  }
  const connected = (made: Connected) => {
    if (made.ingest === null) return done()
    setOpen({ dialog: 'ingest', made })
    list.reload()
  }
  const all = list.pages.flatMap(({ integrations }) => integrations)
  return (
    <Page
      title="Integrations"
      actions={
        mayChange.value && (
          <button type="button" class="primary" onClick={() => setOpen({ dialog: 'connect' })}>
            Connect a tool
          </button>
        )
      }
    >
      <p class="lead">
        The tools that are asked when something breaks. Each is checked again every quarter of an hour.
      </p>
      {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
      {list.pages.length === 0 && list.isLoading && <Loading what="integrations" />}
      {list.pages.length > 0 && all.length === 0 && (
        <Empty title="No tool is connected yet.">
          <p>Connect one that knows your services: metrics, logs, traces or changes.</p>
        </Empty>
      )}
      <ul class="cards">
        {all.map((integration) => (
          <IntegrationCard
            key={integration.id}
            of={integration}
            onOpen={(dialog) => setOpen({ dialog, integration })}
            onChanged={list.reload}
          />
        ))}
      </ul>
      <MoreButton more={list.more} state={list.moreState} />
      {open?.dialog === 'connect' && <ConnectDialog onClose={close} onMade={connected} />}
      {open?.dialog === 'ingest' && <IngestDialog of={open.made} onClose={close} />}
      {open?.dialog === 'settings' && (
        <SettingsDialog of={open.integration} onClose={close} onChanged={done} />
      )}
      {open?.dialog === 'disconnect' && (
        <ConfirmDialog
          title={`Disconnect ${titleOf(open.integration.type)}?`}
          confirm="Disconnect"
          act={() => call('DELETE /integrations/{id}', { path: { id: open.integration.id } })}
          onClose={close}
          onDone={done}
        >
          <p>Its settings and secrets are forgotten. Incidents keep the evidence that came from it.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}
