import { useState } from 'preact/hooks'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { InstantText } from '../parts/instant-text.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { SubscriptionDialog } from '../parts/webhook-dialogs.tsx'
import { mayChange } from '../session.ts'
import { place } from '../settings.ts'
import { usePagesOf } from '../use-pages-of.ts'
import { disabledWords, WEBHOOK_TONES, type Webhook } from '../webhook-words.ts'

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'Receiver',
    isHead: true,
    cell: ({ id, url }) => <a href={place(`webhooks/${encodeURIComponent(id)}`)}>{url}</a>,
  },
  { title: 'Events', cell: ({ events }) => events.join(', ') },
  {
    title: 'State',
    cell: (webhook) => (
      <>
        <StatusBadge tone={WEBHOOK_TONES[webhook.status] ?? 'calm'}>{webhook.status}</StatusBadge>{' '}
        {disabledWords(webhook)}
      </>
    ),
  },
  { title: 'Made', cell: ({ created_at }) => <InstantText at={created_at} /> },
]

/** Webhooks: who is told of incidents. */
export function Webhooks() {
  const list = usePagesOf('GET /webhooks')
  const [isOpen, setOpen] = useState(false)
  const all = list.pages.flatMap(({ webhooks }) => webhooks)
  return (
    <Page
      title="Webhooks"
      actions={
        mayChange.value && (
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Subscribe a receiver
          </button>
        )
      }
    >
      <p class="lead">Receivers are told of incidents by signed requests; each is tried for three days.</p>
      {list.error !== undefined && <Failure error={list.error} retry={list.reload} />}
      {list.pages.length === 0 && list.isLoading && <Loading what="webhooks" />}
      {list.pages.length > 0 && all.length === 0 && (
        <Empty title="Nobody is subscribed yet.">
          <p>Subscribe the address of a chat, a ticket system or a program of your own.</p>
        </Empty>
      )}
      {all.length > 0 && <DataTable caption="Webhooks" columns={COLUMNS} rows={all} keyOf={({ id }) => id} />}
      <MoreButton more={list.more} state={list.moreState} />
      {isOpen && (
        <SubscriptionDialog
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            list.reload()
          }}
        />
      )}
    </Page>
  )
}
