import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { includesRecords } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { type NewDelivery, scopeOf, type Webhook } from '../../base/domain/webhook.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { DailyQuota } from '../../data/live/realtime.ts'
import type { SourceCounts } from '../../data/usage/disclosure-counts.ts'
import { countOf, type Page } from '../../engine/changes/page.ts'
import type { RecordStore } from '../../engine/store/record-store.ts'
import {
  openChangesCursor,
  type Reading,
  sealChangesCursor,
  typesOf,
} from '../../read/changes/changes-query.ts'
import { chargePage, disclosedIn } from '../../read/changes/charge-page.ts'
import { type BodyParts, bodyOf } from '../../read/changes/page-body.ts'
import { type PageParts, type Read, readPage } from '../../read/changes/read-page.ts'
import type { Refusal } from '../../read/refusal.ts'
import { Ledger } from '../../read/request-limits.ts'
import { changesSeenBy, shownEntries } from '../../read/rows/scoped-sources.ts'
import { onlyPositions, positionList, relaySelection } from './relay-page.ts'

export type WebhookPages = PageParts &
  BodyParts & {
    quota: DailyQuota
    records: Pick<RecordStore, 'want'>
    directory: Pick<Directory, 'fleetOf'>
    disclosures: SourceCounts
  }

/** The changes after a cursor, as a delivery. */
export type NextPage =
  /** `giveBack`: returns the charge, if the delivery could not be stored. */
  | { is: 'page'; delivery: NewDelivery; hasMore: boolean; giveBack(): Promise<void> }
  /** Nothing to send. `cursor`: after the changes that were read, up to number `upTo`. */
  | { is: 'nothing'; cursor: string; hasMore: boolean; upTo: number; takesRecords: boolean }
  /** The cursor is too old. */
  | { is: 'expired' }
  /** The organization does not exist any more. */
  | { is: 'gone' }

/** The entries of a page. */
const MAX_ENTRIES = 100

/** A larger page is made again with fewer entries, because receivers limit what they take. */
const MAX_BODY_BYTES = 512 * 1024

/**
 * Makes the page after a cursor (null: the first page) as `/changes` does, with `skip_exhausted`, and charges it.
 * An empty page is sent only if `isDue`.
 */
export async function nextPage(
  parts: WebhookPages,
  organization: Organization,
  webhook: Webhook,
  cursor: string | null,
  isDue: (page: Page) => boolean,
): Promise<NextPage> {
  const reading = readingOf(parts, webhook, cursor)
  if (reading === null) return { is: 'expired' }
  const fleet = await parts.directory.fleetOf(organization.id)
  if (fleet === null) return { is: 'gone' }
  // A webhook sees what a key with its grants sees.
  const { views, opened } = changesSeenBy(parts, fleet, scopeOf(webhook))
  // A webhook that names types of records has them derived from now on.
  if (cursor === null && includesRecords(typesOf(webhook))) {
    await parts.records.want(organization.id)
  }
  for (let limit = MAX_ENTRIES; ; limit = Math.ceil(limit / 4)) {
    const query = { from: webhook.from, limit, skipsExhausted: true }
    const read = await readPage({ ...parts, views }, organization.id, { ...reading, opened }, query)
    if ('status' in read) return { is: read.status === 410 ? 'expired' : 'gone' }
    try {
      const result = await fromRead(parts, organization, webhook, read, limit > 1, isDue)
      if (result !== 'too large') return result
    } finally {
      read.room.free()
    }
  }
}

/** Null if the cursor cannot be opened: the deployment has another secret than the one that sealed it. */
function readingOf(
  { secret, directory }: WebhookPages,
  webhook: Webhook,
  cursor: string | null,
): Reading | null {
  const { ids, organization } = webhook
  const at = cursor === null ? null : openChangesCursor(secret, organization, cursor)
  if (at === undefined) return null
  const catalogue = async () => {
    const fleet = await directory.fleetOf(organization)
    return fleet === null ? [] : shownEntries(fleet, scopeOf(webhook))
  }
  const chosen = { types: webhook.types, include: webhook.include ?? [] }
  const isRelay = webhook.form !== 'changes'
  const selected = isRelay ? relaySelection(webhook, at) : (at?.reader ?? chosen)
  if (at === null) return { wanted: { ids, ...selected }, at, catalogue }
  const reader = { ...at.reader, ...selected }
  return { wanted: reader, at: { ...at, reader }, catalogue }
}

async function fromRead(
  parts: WebhookPages,
  organization: Organization,
  webhook: Webhook,
  read: Read,
  canBeShorter: boolean,
  isDue: (page: Page) => boolean,
): Promise<NextPage | 'too large'> {
  const { reader, entries } = read
  const isRelay = webhook.form !== 'changes'
  const page = isRelay ? onlyPositions(read.page) : read.page
  const { hasMore } = page
  const sealed = (to: Page) =>
    sealChangesCursor(parts.secret, organization.id, { reader, offset: to.next })
  if (page.entries.length === 0 && !isDue(page)) {
    const takesRecords = includesRecords(typesOf(reader))
    return { is: 'nothing', cursor: sealed(page), hasMore, upTo: page.asOf, takesRecords }
  }
  const now = parts.clock.now()
  const encode = (shown: Page) =>
    isRelay
      ? positionList(parts, organization, entries, shown)
      : (bodyOf(parts, organization, read, shown, () =>
          aroundData('changes', now),
        ) as Promise<Buffer>)
  const whole = await encode(page)
  if (canBeShorter && whole.length > MAX_BODY_BYTES) return 'too large'
  const ledger = new Ledger(parts.quota, organization, parts.clock)
  const paid = notRefused(await chargePage(page, true, (due) => ledger.chargeLater(due)))
  try {
    const body = paid === page ? whole : await encode(paid)
    const sent = isRelay ? onlyPositions(paid) : paid
    const found = disclosedIn(sent)
    const disclosed = found.objects.length === 0 ? null : found
    const content = {
      kind: 'changes',
      cursor: sealed(paid),
      entries: countOf(sent),
      disclosed,
    } as const
    const delivery = await newDelivery(content, body, now)
    return { is: 'page', delivery, hasMore: paid.hasMore, giveBack: () => ledger.giveBack() }
  } catch (error) {
    await ledger.giveBack()
    throw error
  }
}

/** With `skip_exhausted`, an entry replaces those that are left out. */
function notRefused(paid: Page | Refusal): Page {
  if ('status' in paid) throw new Error(`a page of changes was refused: ${paid.status}`)
  return paid
}

const compress = promisify(gzip)

/** The name of a message to a webhook, the same on every try. */
function newMessageId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`
}

type Content = Pick<NewDelivery, 'kind' | 'cursor' | 'entries' | 'disclosed'>

/** A delivery of a body, which is stored compressed. */
async function newDelivery(
  content: Content,
  body: Uint8Array,
  now: number,
): Promise<NewDelivery & { body: Uint8Array }> {
  return { ...content, message: newMessageId(), createdAt: now, body: await compress(body) }
}

/** The text around the data of a body. */
function aroundData(kind: NewDelivery['kind'], now: number) {
  const before = `{"type":"${kind}","timestamp":"${formatInstant(now)}","data":`
  return { before, after: '}' }
}

/** A resync or a test: a message without data. */
export function emptyDelivery(kind: 'resync' | 'test', now: number): Promise<NewDelivery> {
  const { before, after } = aroundData(kind, now)
  return newDelivery(
    { kind, cursor: null, entries: 0, disclosed: null },
    Buffer.from(`${before}{}${after}`),
    now,
  )
}
