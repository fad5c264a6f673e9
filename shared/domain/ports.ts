import type { Fold, GroupState, KnownAlert } from './alerts/alert-group.ts'
import type { Intake } from './alerts/intake.ts'
import type { Payload } from './alerts/payload-fields.ts'
import type { ApiKey } from './api-key.ts'
import type { Attempt, Delivery, Health, PostResult } from './delivery.ts'
import type {
  EventKind,
  Incident,
  IncidentFile,
  IncidentStatus,
  ServiceEvent,
  Severity,
  TimelineEntry,
} from './incident.ts'
import type { Checkable, Integration, IntegrationConfig, Tool, Unasked } from './integration.ts'
import type { Evidence, Findings, RootCause } from './investigation/findings.ts'
import type { Asks } from './investigation/questions/read-question.ts'
import type { Intent } from './investigation/questions/ways-to-ask.ts'
import type {
  Change,
  ControlPlaneEvent,
  Edge,
  LogLine,
  Series,
  Snapshot,
  Span,
  Window,
} from './investigation/records/snapshot.ts'
import type { Versions } from './precondition.ts'
import type { RateState } from './rate-limit.ts'
import type { KeptBatch } from './signals.ts'
import type { CallerType, KnownUser, SignedInUser } from './user.ts'
import type { DisabledReason, Webhook } from './webhook.ts'

/** Milliseconds since the epoch. */
export type Clock = () => number
/** A new id of a prefix for an instant (ms): `<prefix>_<ULID>`. */
export type NewId = (prefix: string, at: number) => string

/** Who calls: a key or a signed-in user by its id, or `anyone` where neither is needed. */
export interface Caller {
  readonly id: string
  /** Null for one who may call only what anyone may. */
  readonly type: CallerType | null
  /** What a signed-in user is called. */
  readonly name?: string
}

/** What came of letting a caller in and counting the request. */
export type Entrance =
  | { readonly outcome: 'admitted'; readonly caller: Caller; readonly rate: RateState }
  | { readonly outcome: 'limited'; readonly rate: RateState }
  | { readonly outcome: 'unknown' }

/** The gate that every request with a credential passes: an API key, or the access token of a signed-in user. */
export interface KeyGate {
  /** True when this process has seen the key accepted; says nothing about the present. */
  seen(credential: string): boolean
  /** Checks the credential and counts the request in one write. `now` in ms. */
  admit(credential: string, now: number): Promise<Entrance>
}

/** A message that a tool sends, byte for byte. */
export interface SentMessage {
  readonly body: Uint8Array
  /** Values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[]
}

/** The gate that every message of a tool passes. */
export interface SenderGate {
  /** True when this process has let a message of the integration in; says nothing about the present. */
  seen(integrationId: string): boolean
  /**
   * @param now in ms
   * @returns the integration whose message it is, or nothing where that is not proven
   */
  admit(integrationId: string, message: SentMessage, now: number): Promise<Integration | undefined>
}

/** A verified message of a tool, with what reading it needs. */
export interface VerifiedMessage {
  readonly integration_id: string
  /** Settings that are no secret. */
  readonly config: Payload
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** When it came in (ms). */
  readonly received_at: number
  readonly body: Uint8Array
  /** We asked the tool ourselves: it only confirms what is known. */
  readonly confirms?: true
}

/** Where messages of tools wait until they are read. */
export interface MessageQueue {
  put(message: VerifiedMessage): Promise<void>
}

/** One page of a list; `next` is the id after which the next page begins, null at the end. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Where a page begins and how many items it holds at most. */
export interface PageRequest {
  readonly limit: number
  /** Id of the last item of the page before. */
  readonly after: string | null
}

export interface IncidentFilter {
  readonly status?: IncidentStatus | undefined
  readonly severity?: Severity | undefined
  /** Only incidents created strictly after, strictly before (ms). */
  readonly after?: number | undefined
  readonly before?: number | undefined
}

/** The right to run one investigation, until `lease_until`; `fence` tells a late holder from the present one. */
export interface Lease {
  readonly incident: Incident
  readonly fence: number
  readonly attempt: number
}

export interface IncidentStore {
  /** Writes the incident, its first timeline entry and its event in one transaction. */
  create(incident: Incident, entry: TimelineEntry, event: ServiceEvent): Promise<void>
  /** The incident as lists show it. */
  get(id: string): Promise<Incident | undefined>
  /** The incident with root cause, alerts and timeline. */
  read(id: string): Promise<IncidentFile | undefined>
  list(filter: IncidentFilter, page: PageRequest): Promise<Page<Incident>>
  /**
   * Writes what changed with its timeline entries and event in one transaction; the investigation of one that it
   * resolves is due with it, and loses its lease where it runs.
   * @returns false when somebody else changed the incident since it was read; nothing is written then
   */
  change(
    before: Incident,
    after: Incident,
    entries: readonly TimelineEntry[],
    event: ServiceEvent | null,
  ): Promise<boolean>
  /** Makes an investigation due now; one that runs loses its lease. @returns false when there is no such incident */
  requestInvestigation(id: string, now: number, entry: TimelineEntry): Promise<boolean>
  /** Takes the lease of a due investigation, or nothing when it is not due, is leased, or is done. */
  claimInvestigation(id: string, now: number, leaseUntil: number): Promise<Lease | undefined>
  /**
   * Writes the root cause if the lease is still held, and with an id also `incident.analyzed`, in one transaction.
   * With `nextAt` (ms) the incident is looked at again then.
   * @returns false when it is not held; nothing is written then
   */
  completeInvestigation(
    lease: Lease,
    rootCause: RootCause,
    entry: TimelineEntry,
    eventId?: string | null,
    nextAt?: number | null,
  ): Promise<boolean>
  /** Gives a failed try back: due again at `retryAt`, or failed for good when that is null. */
  failInvestigation(lease: Lease, retryAt: number | null, entry: TimelineEntry): Promise<boolean>
  /** Ids of investigations that are overdue at `now` or whose lease has run out, oldest first. */
  dueInvestigations(now: number, limit: number): Promise<readonly string[]>
}

/** Incidents without what may lie outside of their table. */
export type IncidentRecords = Omit<IncidentStore, 'read' | 'completeInvestigation'>

/** What is known of when a tool was asked, and not; a change of its settings does not alter it. */
export interface Asked {
  /** When it last said which of its alerts fire, or what it sent (ms); null before the first time. */
  readonly asked_at: number | null
  /** The last time in which it could not be asked, as long as that is told. */
  readonly unasked: Unasked | null
}

/** An integration with everything that is sealed beside it. */
export interface OpenedIntegration extends Asked {
  readonly integration: Integration
  readonly config: IntegrationConfig
  readonly intake: Intake | null
}

export interface IntegrationStore {
  /**
   * @param intake what messages of the tool are verified by, null for one that sends none
   * @throws Refusal `conflict` when `quota` integrations exist already
   */
  create(
    integration: Integration,
    config: IntegrationConfig,
    quota: number,
    intake: Intake | null,
  ): Promise<void>
  get(id: string): Promise<Integration | undefined>
  /** The integration, its settings with secrets opened, and what its messages are verified by. */
  open(id: string): Promise<OpenedIntegration | undefined>
  /** The integration with what its messages are verified by, and none of its other secrets. */
  openIntake(
    id: string,
  ): Promise<{ readonly integration: Integration; readonly intake: Intake | null } | undefined>
  list(page: PageRequest): Promise<Page<Integration>>
  /** Every integration with its settings; null for those of a disabled one, and for those that cannot be opened. */
  openAll(): Promise<
    readonly { readonly integration: Integration; readonly config: IntegrationConfig | null }[]
  >
  /**
   * @param asked what was known when it was read: kept, so that a time in which its credentials had ended is told
   * @returns false when somebody else changed it since `before` was read
   */
  change(
    before: Integration,
    after: Integration,
    config: IntegrationConfig,
    intake: Intake | null,
    asked: Asked,
  ): Promise<boolean>
  /** Every integration that is not disabled, with its settings and when it was last checked. */
  openForCheck(): Promise<readonly Checkable[]>
  /**
   * Writes down what a check on the schedule made of an integration; its settings stay as they are.
   * @returns false when somebody else changed it since `before` was read
   */
  recordCheck(
    before: Integration,
    after: Integration,
    health: {
      readonly checked_at: number
      readonly failures: number
      /** When the tool said which of its alerts fire, or what it sent; absent where it was not asked, or did not say. */
      readonly asked_at?: number
      /** The last time in which it could not be asked; absent where that is not looked at. */
      readonly unasked?: Unasked | null
    },
  ): Promise<boolean>
  /** When the tool last said which of its alerts fire (ms); undefined where nobody asks it any more, or ever did. */
  askedAt(id: string): Promise<number | undefined>
  /**
   * @param expected versions that may be deleted
   * @returns false when there is no such integration
   * @throws Refusal `precondition_failed` when it is in another version
   */
  delete(id: string, expected?: Versions): Promise<boolean>
}

/** Integrations without their settings. */
export type IntegrationRecords = Pick<IntegrationStore, 'get' | 'list' | 'delete' | 'askedAt'>

export interface WebhookStore {
  /** @throws Refusal `conflict` when `quota` subscriptions exist already */
  create(webhook: Webhook, secret: string, quota: number): Promise<void>
  get(id: string): Promise<Webhook | undefined>
  list(page: PageRequest): Promise<Page<Webhook>>
  /** @returns false when somebody else changed it since `before` was read */
  change(before: Webhook, after: Webhook): Promise<boolean>
  /** The subscription as it is now, with its secrets opened, for signing. */
  open(id: string, now: number): Promise<Subscription | undefined>
  /** Every enabled subscription to a kind of event. */
  subscribed(kind: EventKind): Promise<readonly Webhook[]>
  /**
   * Replaces the secret; until `previousUntil` (ms) the present one stays valid beside it.
   * @returns false when somebody else changed the subscription since `before` was read
   */
  rotateSecret(before: Webhook, after: Webhook, secret: string, previousUntil: number): Promise<boolean>
  /** Counts a failed attempt. @returns the state with it counted, or nothing without such a subscription */
  countFailure(id: string, now: number): Promise<Health | undefined>
  /** Opens the breaker, unless somebody else has since `now`. */
  openBreaker(id: string, now: number, until: number): Promise<void>
  /** Takes the right to the one attempt that a half-open breaker lets through. @returns false when somebody else has it */
  takeProbe(id: string, now: number, until: number): Promise<boolean>
  /** Forgets what failed: an attempt was accepted. */
  recover(id: string): Promise<void>
  /**
   * Disables an enabled subscription as long as it has the address that failed.
   * @returns false when it is not enabled, has another address, or is no more
   */
  disable(webhook: Pick<Webhook, 'id' | 'url'>, reason: DisabledReason, at: string): Promise<boolean>
  /**
   * @param expected versions that may be deleted
   * @returns false when there is no such subscription
   * @throws Refusal `precondition_failed` when it is in another version
   */
  delete(id: string, expected?: Versions): Promise<boolean>
}

/** A subscription as the sender sees it. */
export interface Subscription {
  readonly webhook: Webhook
  readonly health: Health
  /** The present secret, and the one before it while that is still valid. */
  readonly secrets: readonly string[]
}

/** An event as it was stored with what it tells of. */
export interface StoredEvent {
  readonly id: string
  readonly kind: EventKind
  readonly incident_id: string
  /** What receivers get, byte for byte. */
  readonly body: string
  /** False until every subscription that matched has its delivery. */
  readonly fanned_out: boolean
}

export interface EventStore {
  get(id: string): Promise<StoredEvent | undefined>
  /** Notes that every matching subscription has its delivery. */
  markFannedOut(id: string): Promise<void>
  /** Ids of events that were written before an instant (ms) and have not been fanned out, oldest first. */
  waiting(before: number, limit: number): Promise<readonly string[]>
}

/** What the index of what is due knows of a delivery or a recovery. */
export interface Due {
  readonly webhook_id: string
  /** Null for a recovery of the subscription. */
  readonly delivery_id: string | null
  readonly due_at: number
}

/** Resending of everything that failed since an instant, page by page. */
export interface Recovery {
  readonly webhook_id: string
  readonly since: number
  /** The delivery up to which all is done, or null at the beginning. */
  readonly after: string | null
  readonly resent: number
  /** Tells a recovery from the one that replaced it. */
  readonly id: string
}

/** A delivery with what the log knows of its attempts, oldest first. */
export interface LoggedDelivery extends Delivery {
  readonly log: readonly Attempt[]
}

export interface DeliveryStore {
  /** The id of the delivery of an event to a subscription: always the same. */
  idOf(eventId: string, webhookId: string): string
  /** Adds a delivery; one that exists already stays as it is. */
  add(delivery: Delivery): Promise<void>
  get(webhookId: string, id: string): Promise<Delivery | undefined>
  /** Takes the right to attempt a pending delivery that is due and not leased. */
  claim(delivery: Delivery, now: number, leaseUntil: number): Promise<Delivery | undefined>
  /** Writes what an attempt came to, and the attempt, if the claim still holds. @returns false when it does not */
  commit(claimed: Delivery, after: Delivery, attempt: Attempt): Promise<boolean>
  /** Moves a pending delivery that nobody holds to a later instant, its attempts untouched. */
  postpone(delivery: Delivery, until: number): Promise<void>
  /** Ends a pending delivery that nobody holds without an attempt. */
  end(
    delivery: Delivery,
    status: 'failed' | 'cancelled',
    reason: Delivery['reason'],
    now: number,
  ): Promise<void>
  /**
   * Makes a delivery due now, with a new round of attempts.
   * @returns false while somebody attempts it, or when somebody did, or made it due, since it was read
   */
  resend(delivery: Delivery, trigger: 'manual' | 'recovery', now: number): Promise<boolean>
  /** Newest first. */
  list(webhookId: string, page: PageRequest): Promise<Page<LoggedDelivery>>
  /** Deliveries of a subscription that failed or were cancelled, oldest first, from an id on or after one. */
  failed(
    webhookId: string,
    from: { readonly since: number; readonly after: string | null },
    limit: number,
  ): Promise<Page<Delivery>>
  /** What was due before an instant (ms), oldest first. */
  due(before: number, limit: number): Promise<readonly Due[]>
  /** Notes that a due item was rung for: it is not due again before an instant. */
  rung(due: Due, again: number): Promise<void>
  /** Begins a recovery, instead of one that runs. */
  beginRecovery(recovery: Recovery, now: number): Promise<void>
  recovery(webhookId: string): Promise<Recovery | undefined>
  /** Notes how far a recovery came. @returns false when another one has replaced it */
  stepRecovery(before: Recovery, after: Recovery, now: number): Promise<boolean>
  endRecovery(recovery: Recovery): Promise<void>
  /** Notes how late the messages are that are being taken from the queue. */
  noteLateness(now: number, latenessMs: number): Promise<void>
  /** What was noted last, or nothing. */
  lateness(): Promise<{ readonly at: number; readonly lateness_ms: number } | undefined>
}

/** A message that something of a subscription is due: one delivery, or with null its recovery. */
export interface DeliveryCall {
  readonly webhook_id: string
  readonly delivery_id: string | null
}

export interface DeliveryDoorbell {
  /** @param delayMs messages arrive that much later, at most 15 min */
  ring(calls: readonly DeliveryCall[], delayMs?: number): Promise<void>
  /** How many messages wait to be taken, about. */
  waiting(): Promise<number>
}

/** Sends a signed event; never rejects. */
export type Post = (request: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Over connection, head and body (ms). */
  readonly deadlineMs: number
}) => Promise<PostResult>

/** Subscriptions without their secrets. */
export type WebhookRecords = Omit<WebhookStore, 'create' | 'open' | 'rotateSecret'>

/** An answer as it is stored. */
export interface StoredAnswer {
  readonly id: string
  readonly query: string
  readonly answer: string
  readonly evidence: readonly Evidence[]
  readonly confidence: number
  readonly timestamp: string
  readonly outcome: Findings['outcome']
  readonly hypotheses: Findings['hypotheses']
  readonly ruled_out: Findings['ruled_out']
  readonly gaps: Findings['gaps']
  readonly understood: {
    readonly intent: Intent
    readonly service: string | null
    readonly window: { readonly start: string; readonly end: string } | null
    readonly carried_over: readonly string[]
  }
  /** What was asked for beside the intent, in its own words or taken over; absent in answers from before it was kept. */
  readonly asks?: Asks
  readonly snapshot_digest: string | null
}

export interface QueryStore {
  put(answer: StoredAnswer): Promise<void>
  get(id: string): Promise<StoredAnswer | undefined>
}

/** Takes pushed batches. */
export interface SignalKeeper {
  /** Keeps the whole batch or nothing; one with the same content that is kept already stays as it is. `now` in ms. */
  keep(batch: KeptBatch, now: number): Promise<void>
}

/** The records of one pushed batch as an investigation reads them; which source they are of is not theirs to say. */
export interface PushedRecords {
  readonly changes: readonly Omit<Change, 'source'>[]
  readonly series: readonly Omit<Series, 'source'>[]
  readonly logs: readonly Omit<LogLine, 'source'>[]
  readonly spans: readonly Omit<Span, 'source'>[]
  readonly edges: readonly Omit<Edge, 'source'>[]
  readonly events: readonly Omit<ControlPlaneEvent, 'source'>[]
}

/** What was found of pushed batches. */
export interface FoundSignals {
  /** In the order in which they were pushed. */
  readonly batches: readonly PushedRecords[]
  /** SHA-256 (hex) over which batches they are. */
  readonly digest: string
  /** True when more is kept than is read at once: what begins earliest was left out. */
  readonly cut: boolean
  /** Records that could not be read. */
  readonly unread: number
}

export interface SignalReader {
  /** Every batch that has a record in one of the windows, as far as one read goes; others may be among them. */
  read(windows: readonly Window[], now: number, signal: AbortSignal): Promise<FoundSignals>
}

/** What a key that was found may do, and who it is in logs and timelines. */
export type KeyIdentity = Pick<ApiKey, 'id' | 'name' | 'type' | 'plan'>

/** What became of one request's key. */
export type Admission =
  | { readonly outcome: 'admitted'; readonly key: KeyIdentity; readonly rate: RateState }
  | { readonly outcome: 'limited'; readonly key: KeyIdentity; readonly rate: RateState }
  /** No such key, or it is revoked, or it has expired: callers learn no more than that. */
  | { readonly outcome: 'unknown' }

export interface KeyAdmission {
  /** Finds the key by its hash and counts the request against its plan, in one write. `now` in ms. */
  admit(hash: string, now: number): Promise<Admission>
  /** True when this process has seen the key admitted, so that a read may start beside the next admission. */
  seen(hash: string): boolean
}

export interface UserAdmission {
  /** Counts a request of a user whose token was verified, refusing one who is disabled or signed out everywhere. */
  admit(user: SignedInUser, now: number): Promise<Entrance>
}

/** What operators do with users who have signed in at least once. */
export interface UserAdmin {
  /** Every user who has called. */
  list(): Promise<readonly KnownUser[]>
  /** Refuses the user from the next request on, or no longer. @returns false when nobody with this id has called yet */
  setDisabled(id: string, disabled: boolean, now: number): Promise<boolean>
  /** Refuses every token that was issued before `now`. @returns false when nobody with this id has called yet */
  signOut(id: string, now: number): Promise<boolean>
}

/** What replaces the value of a key. */
export interface KeyReplacement {
  readonly hash: string
  readonly display: Pick<ApiKey, 'prefix' | 'last4'>
  /** Until when (ms) the value before is valid. */
  readonly previousUntil: number
  /** Who replaces it. */
  readonly by: string
}

/** Something that was done to a key, and by whom. */
export interface KeyAct {
  readonly id: string
  readonly at: string
  readonly act: 'created' | 'rotated' | 'revoked'
  readonly key_id: string
  readonly by: string
}

/** What people do with keys. Whatever changes one writes who did it in the same transaction. */
export interface KeyAdmin {
  /** @throws Refusal `conflict` when `quota` keys exist already, revoked ones included */
  create(key: ApiKey, hash: string, quota: number): Promise<void>
  /** Every key, newest first. */
  list(): Promise<readonly ApiKey[]>
  /** Newest first. */
  page(page: PageRequest): Promise<Page<ApiKey>>
  get(id: string): Promise<ApiKey | undefined>
  /**
   * Replaces the value of a key; the one before leads to it until its time is over, and both count together.
   * @param replace what replaces the value of the key as it is now; it may be asked again
   * @returns the key after it, or nothing without such a key
   */
  rotate(id: string, now: number, replace: (key: ApiKey) => KeyReplacement): Promise<ApiKey | undefined>
  /** Refuses the key from the next request on; one that is revoked stays as it is. @returns false without such a key */
  revoke(id: string, now: number, by: string): Promise<boolean>
  /** Everything that was done to keys, latest first. */
  acts(): Promise<readonly KeyAct[]>
}

/**
 * Seals secrets. A sealed text is opened only with the context (the id of what it belongs to) that it was sealed
 * with, so that it cannot be moved to another item.
 */
export interface Sealer {
  seal(context: string, plain: Uint8Array): Promise<string>
  /** @throws Error when the text was altered or sealed for another context or key */
  open(context: string, sealed: string): Promise<Uint8Array>
}

/** A key that signs cursors, and the version that a cursor names it by. */
export interface CursorKey {
  readonly version: number
  /** 32 random bytes. */
  readonly key: Uint8Array
}

export interface CursorKeys {
  /** The key that signs now. */
  current(): Promise<CursorKey>
  /** The key of a cursor that came in, or nothing when its version is not valid (any more). */
  find(version: number): Promise<CursorKey | undefined>
  /** Makes a new key to sign with; the present one stays valid until the next rotation. */
  rotate(): Promise<void>
}

/** One object of a listing. */
export interface ObjectEntry {
  readonly key: string
  readonly bytes: number
}

/**
 * A flat store of objects by key: segments parted by `/`, none of them empty, `.` or `..`, without control characters
 * and backslashes. Every method throws RangeError for any other key.
 */
export interface ObjectStore {
  /** Writes the whole object or nothing. With `ifAbsent` an object that exists already stays as it is. */
  put(key: string, bytes: Uint8Array, options?: { readonly ifAbsent?: boolean }): Promise<void>
  /** @param atMost bytes from its beginning, at least 1; all of it where that is not said */
  get(key: string, atMost?: number): Promise<Uint8Array | undefined>
  /** Every object whose key begins with `prefix`, in the order of the keys' UTF-8 bytes. */
  list(prefix: string): Promise<readonly ObjectEntry[]>
  /** An object that does not exist is no error. */
  delete(key: string): Promise<void>
}

/** Immutable snapshots, found again by their digest. */
export interface SnapshotStore {
  /** Keeps the snapshot; the same content twice is one object. @returns its digest (SHA-256, hex) */
  keep(owner: string, snapshot: Snapshot): Promise<string>
  read(owner: string, digest: string): Promise<Snapshot | undefined>
  /** The window of a snapshot, without reading its records. */
  windowOf(owner: string, digest: string): Promise<Window | undefined>
}

/** Rings a worker: a message says only that something is due, never what to do. */
export interface Doorbell {
  ring(incidentIds: readonly string[]): Promise<void>
}

/** The tools by type. */
export type Tools = (type: string) => Tool | undefined

/** Alerts, the groups they belong to, and what both make of incidents, written in one transaction. */
export interface AlertStore {
  /** What is known of alerts, by their keys. */
  known(keys: readonly string[]): Promise<ReadonlyMap<string, KnownAlert>>
  /** A group and its incident as they are. */
  state(group: string): Promise<GroupState>
  /** Keys of the alerts that an incident shows. */
  members(incidentId: string): Promise<readonly string[]>
  /** @returns false when somebody else has written what it rests on since that was read; nothing is written then */
  write(fold: Fold): Promise<boolean>
  /** Groups of which something is due at an instant (ms), the longest overdue first. */
  due(now: number, limit: number): Promise<readonly string[]>
}
