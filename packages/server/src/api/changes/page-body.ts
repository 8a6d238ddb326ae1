import type { Page } from '../../changes/page.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Api } from '../api.ts'
import { currentForm } from '../encode/object.ts'
import { columnsOf, type ShownAttributes } from '../formats/position-form.ts'
import { type AroundPage, encodePage, isShort, type PageForm } from './encode-page.ts'
import type { Read } from './read-page.ts'
import { sealChangesCursor } from './reading.ts'

type Body = Buffer | AsyncGenerator<Buffer>

/** The parts that write pages. */
export type BodyParts = Pick<Api, 'secret' | 'knownAddresses'>

/** A page as the body of an answer. `page`: the part of `read` that is paid for. */
export function answerOf(
  api: Api,
  organization: Organization,
  read: Read,
  page: Page,
): Promise<Body> {
  return bodyOf(api, organization, read, page, () => ANSWER)
}

const ANSWER: AroundPage = { before: '{"statusCode":200,"result":', after: '}' }

/** Short events that streams with the same cursor have in common. */
const events = new WeakMap<Page, Promise<Body>>()

/** A page as a server-sent event, whose id is the cursor of the next page. */
export function eventOf(
  api: Api,
  organization: Organization,
  read: Read,
  page: Page,
): Promise<Body> {
  const known = events.get(page)
  if (known !== undefined) return known
  const around = (cursor: string) => ({ before: `id: ${cursor}\ndata: `, after: '\n\n' })
  const event = bodyOf(api, organization, read, page, around)
  if (isShort(page)) events.set(page, event)
  return event
}

const shownBy = new WeakMap<readonly AttributeEntry[], ShownAttributes>()

/** The same for the same entries, so that rows of objects are encoded by kept encoders. */
function shownOf(entries: readonly AttributeEntry[]): ShownAttributes {
  const shown = shownBy.get(entries) ?? { entries, isCurrent: false }
  shownBy.set(entries, shown)
  return shown
}

/** `around`: the text before and after the page, whose cursor is given. */
export async function bodyOf(
  api: BodyParts,
  organization: Organization,
  { reader, entries }: Pick<Read, 'reader' | 'entries'>,
  page: Page,
  around: (cursor: string) => AroundPage,
): Promise<Body> {
  const addressAt = await api.knownAddresses?.(organization.language)
  const form: PageForm = {
    unit: reader.unit,
    columns: columnsOf(reader.include, entries && shownOf(entries)),
    addressAt,
    current: entries === null ? undefined : currentForm(entries),
  }
  const cursor = sealChangesCursor(api.secret, organization.id, { reader, offset: page.next })
  return encodePage(page, form, cursor, around(cursor))
}
