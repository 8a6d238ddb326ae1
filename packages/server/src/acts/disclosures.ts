import type { Account } from '../base/domain/account.ts'
import type { Disclosee } from '../base/domain/credential.ts'
import {
  DISCLOSURE_SOURCES,
  type Disclosure,
  type DisclosureSource,
  type DisclosureTotal,
} from '../base/domain/disclosure.ts'
import { KEY_OPERATIONS } from '../base/domain/key-scope.ts'
import { originOf } from '../base/domain/webhook.ts'
import type { DisclosureQuery } from '../engine/store/audit-store.ts'
import type { Store } from '../engine/store/store.ts'
import * as doc from './document-schema.ts'

/** The sources in words. */
const SOURCE_WORDS =
  'The kind of reader: an API key, a link, a webhook, a person in the console (`person`), an administration token (`token`), or the command line (`command`).'
const GIVEN_TO = {
  recipient: doc.textOrNull(
    'The recipient that the key, link or webhook had when the data was given.',
  ),
  purpose: doc.textOrNull('The purpose that it had then.'),
}
const SOURCE = doc.choice(DISCLOSURE_SOURCES, SOURCE_WORDS)
const DATA = doc.choice(KEY_OPERATIONS, 'The kind of data: the name that it has in a scope.')
const ROWS = doc.integer('Positions, states, records and days of the object in these answers.')

export const DISCLOSURE = doc.record(
  {
    date: doc.day('The day in UTC.'),
    source: SOURCE,
    source_id: doc.integer(
      'Id of the key, link, webhook, account or token that read it. 0: the command line.',
    ),
    source_name: doc.textOrNull('Its name. Null: it has none, or was deleted.'),
    key: doc.integerOrNull('Id of the API key. Null: another source.'),
    key_name: doc.textOrNull('Its name.'),
    ...GIVEN_TO,
    object: doc.integer('Id of the object.'),
    name: doc.textOrNull('Its name. Null: it was deleted.'),
    ident: doc.textOrNull('Its ident. Null: it was deleted.'),
    data: DATA,
    requests: doc.integer('Requests whose answers had data of the object.'),
    rows: ROWS,
  },
  'Data of one kind that a reader was shown of an object on a day.',
  'Disclosure',
)

/** The totals of a recipient and a purpose. */
export const RECIPIENT = doc.record(
  {
    source: SOURCE,
    ...GIVEN_TO,
    data: DATA,
    readers: doc.integer('Number of keys, links, webhooks, people or tokens that read the data.'),
    objects: doc.integer('Number of objects.'),
    first_date: doc.day('The first day in UTC.'),
    last_date: doc.day('The last day in UTC.'),
    rows: doc.integer('Positions, states, records and days in the answers.'),
  },
  'The data of one kind that a recipient was given for a purpose, from one source.',
  'Recipient',
)

/** The days without `from`, today among them. */
export const DISCLOSURE_DAYS = 30

/** Chooses the disclosures to one recipient. Empty: those without one. */
export type RecipientQuery = Omit<DisclosureQuery, 'disclosees'> & {
  recipient?: string | undefined
}

type Ledger = Pick<Store, 'keys' | 'links' | 'webhooks' | 'accounts' | 'access' | 'disclosures'>
type Named = { readonly name: string; readonly ident: string }
type Names = (object: number) => Named | undefined

/** The disclosures that were asked for. */
export type AskedDisclosures = {
  page(after: Disclosure | null, limit: number): Promise<Disclosure[]>
  document(shown: Disclosure): ReturnType<typeof DISCLOSURE.write>
  /** By recipient, purpose and kind of data. */
  totals(): Promise<ReturnType<typeof RECIPIENT.write>[]>
}

/** `nameOf`: finds an object by its id. */
export async function askDisclosures(
  store: Ledger,
  organization: number,
  { recipient, ...chosen }: RecipientQuery,
  nameOf: Names,
): Promise<AskedDisclosures> {
  const { keys, disclosures } = store
  const sourceNameOf = await sourceNames(store, organization)
  const all = new Map<number, Disclosee>([[0, { recipient: null, purpose: null }]])
  for (const kept of await keys.disclosees(organization)) all.set(kept.id, kept)
  const disclosees = recipient === undefined ? undefined : discloseesTo(all, recipient)
  const query = { ...chosen, disclosees }

  const discloseeOf = (id: number) => all.get(id) ?? all.get(0)!
  return {
    page: (after, limit) => disclosures.list(organization, query, after, limit),
    document(shown) {
      const { name = null, ident = null } = nameOf(shown.object) ?? {}
      const { recipient, purpose } = discloseeOf(shown.disclosee)
      const { day: date, source, reader: sourceId } = shown
      const sourceName = sourceNameOf(source, sourceId)
      const isKey = source === 'key'
      return DISCLOSURE.write({
        ...{ ...shown, date, sourceId, sourceName, recipient, purpose, name, ident },
        ...{ key: isKey ? sourceId : null, keyName: isKey ? sourceName : null },
      })
    },
    async totals() {
      return totalsOf(await disclosures.totals(organization, query), discloseeOf)
    },
  }
}

export function personName({ name, email }: Pick<Account, 'name' | 'email'>): string {
  return name || email
}

/** The current names of readers. */
export async function sourceNames(
  { keys, links, webhooks, accounts, access }: Omit<Ledger, 'disclosures'>,
  organization: number,
): Promise<(source: DisclosureSource, reader: number) => string | null> {
  const named = {
    key: namesOf(await keys.list(organization)),
    link: namesOf(await links.list(organization)),
    webhook: namesOf(
      (await webhooks.list(organization)).map(({ id, url }) => ({ id, name: originOf(url) })),
    ),
    person: namesOf(
      (await accounts.list()).map((each) => ({ id: each.id, name: personName(each) })),
    ),
    token: namesOf((await access.list('token')).map(({ credential }) => credential)),
    command: new Map<number, string>(),
  }
  return (source, reader) => named[source].get(reader) ?? null
}

function namesOf(all: readonly { id: number; name: string }[]): Map<number, string> {
  return new Map(all.map(({ id, name }) => [id, name]))
}

/** The documents of what was given out from `first` on, by pages of `rows`. */
export async function* disclosurePages(
  { page, document }: AskedDisclosures,
  first: Disclosure[],
  rows: number,
): AsyncGenerator<ReturnType<AskedDisclosures['document']>[]> {
  for (let found = first; found.length > 0; found = await page(found.at(-1)!, rows)) {
    yield found.map(document)
    if (found.length < rows) return
  }
}

function discloseesTo(all: ReadonlyMap<number, Disclosee>, recipient: string): number[] {
  const isTo = (disclosee: Disclosee) => (disclosee.recipient ?? '') === recipient
  return [...all].filter(([, disclosee]) => isTo(disclosee)).map(([id]) => id)
}

function totalsOf(found: readonly DisclosureTotal[], discloseeOf: (id: number) => Disclosee) {
  const byRecipient = Map.groupBy(found, ({ source, disclosee, data }) => {
    const { recipient, purpose } = discloseeOf(disclosee)
    return JSON.stringify([recipient ?? '', purpose ?? '', source, data])
  })
  return [...byRecipient.keys()].sort().map((key) => {
    const all = byRecipient.get(key)!
    const { source, disclosee, data } = all[0]!
    const { recipient, purpose } = discloseeOf(disclosee)
    return RECIPIENT.write({
      ...{ source, recipient, purpose, data },
      readers: new Set(all.map(({ reader }) => reader)).size,
      objects: new Set(all.map(({ object }) => object)).size,
      firstDate: all.reduce((first, total) => Math.min(first, total.first), all[0]!.first),
      lastDate: all.reduce((last, total) => Math.max(last, total.last), 0),
      rows: all.reduce((sum, { rows }) => sum + rows, 0),
    })
  })
}
