import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { type AnswerOf, call } from '../api.ts'
import { ConfirmDialog } from '../parts/dialog-box.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { Answered, Empty, Failure, Loading } from '../parts/states.tsx'
import { StatusBadge, type Tone } from '../parts/status-badge.tsx'
import { RecoveryDialog, SecretDialog, SubscriptionDialog } from '../parts/webhook-dialogs.tsx'
import { mayChange } from '../session.ts'
import { place } from '../settings.ts'
import { useAnswer, useDoing } from '../use-answer.ts'
import { usePagesOf } from '../use-pages-of.ts'
import {
  type Delivery,
  disabledWords,
  type Webhook as Subscription,
  WEBHOOK_TONES,
} from '../webhook-words.ts'

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'calm',
}

type Attempt = Delivery['attempts'][number]

/** How the receiver took it, in one line. */
const outcomeOf = ({ status, error }: Pick<Attempt, 'status' | 'error'>): string =>
  [status === null ? undefined : `status ${status}`, error ?? undefined]
    .filter((part) => part !== undefined)
    .join(', ') || 'no answer'

function Attempts({ of }: { readonly of: readonly Attempt[] }) {
  if (of.length === 0) return <p class="quiet">Not tried yet.</p>
  return (
    <details>
      <summary>
        {of.length} {of.length === 1 ? 'attempt' : 'attempts'}, the last:{' '}
        {outcomeOf(of[of.length - 1] as Attempt)}
      </summary>
      <ol class="attempts">
        {of.map((attempt) => (
          <li key={attempt.number}>
            <InstantText at={attempt.at} />: {outcomeOf(attempt)} after {attempt.duration_ms} ms
            {attempt.response !== null && attempt.response !== '' && <pre>{attempt.response}</pre>}
          </li>
        ))}
      </ol>
    </details>
  )
}

function DeliveryCard({ of, onChanged }: { readonly of: Delivery; readonly onChanged: () => void }) {
  const doing = useDoing()
  // It stays where it is while it cannot be used: whoever pressed it would lose the focus with it.
  const mayRedeliver = !doing.isBusy && of.status !== 'pending'
  const redeliver = async () => {
    if (!mayRedeliver) return
    const path = { id: of.webhook_id, delivery_id: of.id }
    if (await doing.run(() => call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', { path })))
      onChanged()
  }
  return (
    <li class="card">
      <div class="card-head">
        <h3>{of.event}</h3>
        <StatusBadge tone={TONES[of.status] ?? 'calm'}>
          {of.status}
          {of.reason === null ? '' : ` (${of.reason})`}
        </StatusBadge>
      </div>
      <p class="quiet">
        <InstantText at={of.created_at} /> · incident{' '}
        <a href={place(`incidents/${encodeURIComponent(of.incident_id)}`)}>{of.incident_id}</a>
        {of.trigger === 'event' ? '' : ` · ${of.trigger}`}
        {of.next_attempt_at !== null && (
          <>
            {' '}
            · next attempt <InstantText at={of.next_attempt_at} />
          </>
        )}
      </p>
      <Attempts of={of.attempts} />
      {doing.error !== undefined && <Failure error={doing.error} />}
      {mayChange.value && (
        <div class="buttons">
          <button
            type="button"
            aria-disabled={!mayRedeliver}
            aria-label={`Redeliver ${of.event} ${of.id}`}
            onClick={() => void redeliver()}
          >
            {doing.isBusy ? 'Sending…' : 'Redeliver'}
          </button>
        </div>
      )}
    </li>
  )
}

function Deliveries({ of }: { readonly of: string }) {
  const list = usePagesOf('GET /webhooks/{id}/deliveries', { path: { id: of } })
  const all = list.pages.flatMap(({ deliveries }) => deliveries)
  return (
    <section aria-labelledby="deliveries">
      <div class="page-head">
        <h2 id="deliveries">Deliveries</h2>
        <button type="button" aria-disabled={list.isLoading} onClick={list.reload}>
          {list.isLoading ? 'Loading…' : 'Refresh'}
        </button>
      </div>
      {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
      {list.pages.length === 0 && list.isLoading && <Loading what="deliveries" />}
      {list.pages.length > 0 && all.length === 0 && (
        <Empty title="Nothing was sent yet.">
          <p>Events of incidents appear here with every attempt.</p>
        </Empty>
      )}
      <ul class="plain">
        {all.map((delivery) => (
          <DeliveryCard key={delivery.id} of={delivery} onChanged={list.reload} />
        ))}
      </ul>
      <MoreButton more={list.more} state={list.moreState} />
    </section>
  )
}

type Dialog = 'change' | 'rotate' | 'recover' | 'delete'

/** What can be done with a subscription. */
function Acts({
  of,
  onOpen,
  onChanged,
}: {
  readonly of: Subscription
  readonly onOpen: (dialog: Dialog) => void
  readonly onChanged: () => void
}) {
  const doing = useDoing()
  const [pinged, setPinged] = useState<AnswerOf<'POST /webhooks/{id}/ping'>>()
  const path = { id: of.id }
  const ping = () =>
    doing.run(async () => {
      setPinged(undefined)
      setPinged(await call('POST /webhooks/{id}/ping', { path }))
    })
  const toggle = async () => {
    const status = of.status === 'enabled' ? 'disabled' : 'enabled'
    if (await doing.run(() => call('PATCH /webhooks/{id}', { path, body: { status } }))) onChanged()
  }
  return (
    <>
      <div class="buttons">
        <button type="button" aria-disabled={doing.isBusy} onClick={() => void ping()}>
          {doing.isBusy ? 'Working…' : 'Ping'}
        </button>
        <button type="button" onClick={() => onOpen('change')}>
          Change
        </button>
        <button type="button" onClick={() => onOpen('rotate')}>
          Rotate the secret
        </button>
        <button type="button" onClick={() => onOpen('recover')}>
          Send again what failed
        </button>
        <button type="button" aria-disabled={doing.isBusy} onClick={() => void toggle()}>
          {of.status === 'enabled' ? 'Disable' : 'Enable'}
        </button>
        <button type="button" onClick={() => onOpen('delete')}>
          End
        </button>
      </div>
      {doing.error !== undefined && <Failure error={doing.error} />}
      <div role="status">
        {pinged !== undefined && (
          <p>
            <StatusBadge tone={pinged.delivered ? 'good' : 'bad'}>
              {pinged.delivered ? 'The receiver took the ping' : 'The receiver did not take the ping'}
            </StatusBadge>{' '}
            {outcomeOf(pinged)} after {pinged.duration_ms} ms
          </p>
        )}
      </div>
    </>
  )
}

/** One subscription: its receiver, what can be done with it, and everything that was sent. */
export function Webhook() {
  const { params } = useRoute()
  const { route } = useLocation() as ReturnType<typeof useLocation> & { route: (to: string) => void }
  const id = params.id ?? ''
  const asked = useAnswer('GET /webhooks/{id}', { path: { id } })
  const [open, setOpen] = useState<Dialog>()
  const close = () => setOpen(undefined)
  const done = () => {
    close()
    asked.reload()
  }
  return (
    <Page title="Webhook" above={<a href={place('webhooks')}>All webhooks</a>}>
      <Answered asked={asked} what="the webhook">
        {(webhook) => (
          <>
            <div class="card">
              <div class="card-head">
                <h2 class="address">{webhook.url}</h2>
                <StatusBadge tone={WEBHOOK_TONES[webhook.status] ?? 'calm'}>{webhook.status}</StatusBadge>
              </div>
              {disabledWords(webhook) !== null && <p>{disabledWords(webhook)}</p>}
              <dl class="facts">
                <dt>events</dt>
                <dd>{webhook.events.join(', ')}</dd>
                <dt>made</dt>
                <dd>
                  <InstantText at={webhook.created_at} />
                </dd>
                <dt>changed</dt>
                <dd>
                  <InstantText at={webhook.updated_at} />
                </dd>
              </dl>
              {mayChange.value && <Acts of={webhook} onOpen={setOpen} onChanged={asked.reload} />}
            </div>
            <Deliveries of={id} />
            {open === 'change' && <SubscriptionDialog of={webhook} onClose={close} onDone={done} />}
            {open === 'rotate' && <SecretDialog of={webhook} onClose={close} onDone={done} />}
            {open === 'recover' && <RecoveryDialog of={webhook} onClose={close} onDone={done} />}
            {open === 'delete' && (
              <ConfirmDialog
                title="End this subscription?"
                confirm="End it"
                act={() => call('DELETE /webhooks/{id}', { path: { id } })}
                onClose={close}
                onDone={() => route(place('webhooks'))}
              >
                <p>The receiver is told of nothing any more, and what was sent is forgotten.</p>
              </ConfirmDialog>
            )}
          </>
        )}
      </Answered>
    </Page>
  )
}
