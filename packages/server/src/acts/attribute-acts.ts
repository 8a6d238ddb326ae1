import { sourceNames } from '../base/domain/attributes/attribute-source.ts'
import { takersByName } from '../base/domain/attributes/takers.ts'
import { takeTurn } from '../base/domain/common/slots.ts'
import type { SentName } from '../base/domain/position/current-attributes.ts'
import { UNSEEN } from '../base/domain/position/object-state.ts'
import {
  described,
  MOMENT,
  optional,
  TEXT,
  texts,
  wholeNumber,
} from '../base/domain/setting-rule.ts'
import type { GivenAttributes } from '../engine/store/item-store.ts'
import {
  type ActCall,
  ADMINISTRATORS,
  acts,
  fleetOf,
  OVERSEERS,
  objectOf,
  organizationOf,
  VIEWERS,
} from './act.ts'
import {
  ATTRIBUTE_PATCH,
  CHOSEN_ATTRIBUTES,
  changeAttributes,
  forgettable,
  type Publication,
  publicationOf,
  TO_FORGET,
  TO_PUBLISH,
  withEntry,
  withHidden,
  without,
} from './attribute-bodies.ts'
import { checkValues, type States, valuesSent } from './attribute-checks.ts'
import { momentOf } from './input.ts'
import type { KnownFleet } from './known.ts'
import { queryInput } from './query.ts'
import { invalid } from './refused.ts'
import {
  ATTRIBUTES,
  attributesDocument,
  CURRENT_ATTRIBUTES,
  currentDocument,
  FORGOTTEN,
  PUBLISHED,
  SENT_VALUES,
  type SentPage,
  sentBy,
  sentValues,
} from './sent-values.ts'

const ALL = '/organizations/{organization}/attributes'
const OF_OBJECT = '/organizations/{organization}/objects/{object}/attributes'
const MAX_SOURCES = 200

const PAGE = queryInput<SentPage>(
  {
    after: described(
      optional(TEXT),
      'Only names of devices after this one: the `next` of the previous page.',
    ),
    limit: described(wholeNumber(1, 1_000), 'How many names of devices.'),
  },
  { limit: 200 },
)
const FIRST_PAGE = PAGE.in(new URLSearchParams())

const VALUES = queryInput<{ from: string; to: string; source: readonly string[] | null }>({
  from: described(MOMENT, 'Start of the range.'),
  to: described(MOMENT, 'End of the range.'),
  source: described(
    optional(texts(`1 to ${MAX_SOURCES} names that the device sends`, MAX_SOURCES, () => true)),
    'A name that the device sends. Repeat the parameter for several names. Default: all.',
  ),
})

export const ATTRIBUTE_ACTS = acts('Attributes', {
  listAttributes: {
    method: 'GET',
    path: ALL,
    who: OVERSEERS,
    summary: 'The catalogue of attributes, and the values that devices send',
    query: PAGE,
    answers: ATTRIBUTES,
    async run(call) {
      const page = PAGE.in(call.query)
      const catalogue = () => call.store.attributes.list(call.params.organization!)
      return counted(
        call,
        async (...seen) => listed(call, await catalogue(), seen, page),
        statesAtHand,
      )
    },
  },
  setAttribute: {
    method: 'PATCH',
    path: ALL,
    who: ADMINISTRATORS,
    summary: 'Add an attribute, or change settings of the one with this name',
    takes: ATTRIBUTE_PATCH,
    answers: ATTRIBUTES,
    run(call) {
      const given = ATTRIBUTE_PATCH.in(call.body)
      const [source = given.name] = sourceNames({ sources: given.sources ?? [] })
      return counted(call, async (sent, states) => {
        const names = sent.filter(({ name }) => name === source)
        const values = await valuesSent(call.store, call.params.organization!, states, names)
        const after = await changeAttributes(call, (entries) => withEntry(entries, given, values))
        return listed(call, after, [sent, states])
      })
    },
  },
  publishAttributes: {
    method: 'POST',
    path: `${ALL}/publish`,
    who: ADMINISTRATORS,
    summary: 'Show attributes to keys; names that devices send become attributes',
    takes: TO_PUBLISH,
    status: 200,
    answers: PUBLISHED,
    async run(call) {
      const { dryRun, ...wanted } = TO_PUBLISH.in(call.body)
      return counted(call, async (sent, states) => {
        let publication: Publication | undefined
        const organization = call.params.organization!
        const present = await call.store.attributes.list(organization)
        const taken = takersByName(present)
        const unmapped = sent.filter(({ name }) => !taken.has(name))
        const values = await valuesSent(call.store, organization, states, unmapped)
        const published = (before: GivenAttributes) => {
          publication = publicationOf(before, wanted, sent, values)
          return publication.entries
        }
        if (dryRun) published(present)
        else await changeAttributes(call, published)
        const { entries, ...names } = publication!
        return { ...(await listed(call, entries, [sent, states])), ...names }
      })
    },
  },
  hideAttributes: {
    method: 'POST',
    path: `${ALL}/hide`,
    who: ADMINISTRATORS,
    summary: 'Hide attributes from keys',
    takes: CHOSEN_ATTRIBUTES,
    status: 200,
    answers: ATTRIBUTES,
    run: (call) => changed(call, (entries) => withHidden(entries, chosenIn(call))),
  },
  removeAttributes: {
    method: 'POST',
    path: `${ALL}/remove`,
    who: ADMINISTRATORS,
    summary: 'Remove attributes; stored values stay',
    takes: CHOSEN_ATTRIBUTES,
    status: 200,
    answers: ATTRIBUTES,
    run: (call) => changed(call, (entries) => without(entries, chosenIn(call))),
  },
  forgetAttributes: {
    method: 'POST',
    path: `${ALL}/forget`,
    who: ADMINISTRATORS,
    summary: 'Forget names of devices that no attribute shows, until they send them again',
    takes: TO_FORGET,
    status: 200,
    answers: FORGOTTEN,
    async run(call) {
      const { names, dryRun } = TO_FORGET.in(call.body)
      return counted(call, async (sent, states) => {
        const organization = call.params.organization!
        const entries = await call.store.attributes.list(organization)
        const forgotten = forgettable(entries, names, sent)
        let after: number | null = dryRun || forgotten.size === 0 ? null : 0
        while (after !== null) {
          after = await call.store.positions.forgetNames(organization, forgotten, after)
        }
        const left = sent.filter(({ name }) => dryRun || !forgotten.has(name))
        const document = await listed(call, entries, [left, states])
        return { ...document, forgotten: [...forgotten] }
      })
    },
  },
  listCurrentAttributes: {
    method: 'GET',
    path: OF_OBJECT,
    who: VIEWERS,
    summary: 'The current values of an object',
    answers: CURRENT_ATTRIBUTES,
    async run(call) {
      const fleet = await fleetOf(call)
      const { id, organization } = await objectOf(call)
      const state = (await fleet.committed([id])).get(id) ?? UNSEEN
      const entries = await call.store.attributes.list(organization)
      call.disclosed.state(id, state)
      return currentDocument(entries, id, state)
    },
  },
  getSentValues: {
    method: 'GET',
    path: `${OF_OBJECT}/values`,
    who: VIEWERS,
    summary: 'The values that the device of an object sent in a range of time',
    query: VALUES,
    answers: SENT_VALUES,
    async run(call) {
      const { from, to, source } = VALUES.in(call.query)
      const range = { from: momentOf(from), to: momentOf(to) }
      if (range.to < range.from) throw invalid({ field: 'to', rule: 'must not be before from' })
      await organizationOf(call)
      const object = await objectOf(call)
      const sent = await sentValues(call.store.positions, object, range, source)
      call.disclosed.rows(object.id, 'positions', sent.items.length)
      return sent
    },
  },
})

function chosenIn({ body }: ActCall): readonly string[] {
  return CHOSEN_ATTRIBUTES.in(body).names
}

/** The names that devices send, counted over the states of objects. */
type Seen = [sent: SentName[], states: States]

/**
 * Counts what devices send, as of everything that was committed, and answers. An organization has one count under way, and
 * others get their turn between two.
 */
async function counted<Answer>(
  call: ActCall,
  answer: (...seen: Seen) => Promise<Answer>,
  statesOf: (fleet: KnownFleet) => Promise<States> = (fleet) => fleet.committed(),
): Promise<Answer> {
  const fleet = await fleetOf(call)
  return call.inTurn(fleet.organization.id, async () => {
    await takeTurn()
    const states = await statesOf(fleet)
    return answer(await sentBy(states), states)
  })
}

/** The states that the process has at hand: consoles ask again and again. */
async function statesAtHand(fleet: KnownFleet): Promise<States> {
  return new Map((await fleet.warm()).map(({ object, state }) => [object.id, state]))
}

/** Changes the catalogue, and shows the result. */
function changed(call: ActCall, change: (entries: GivenAttributes) => GivenAttributes) {
  return counted(call, async (...seen) => listed(call, await changeAttributes(call, change), seen))
}

/** The catalogue with what became of the newest values. */
async function listed(
  { store, params, disclosed }: ActCall,
  entries: GivenAttributes,
  [sent, states]: Seen,
  page = FIRST_PAGE,
) {
  const checks = await checkValues(store, params.organization!, states, entries)
  const document = attributesDocument(entries, sent, page, checks)
  disclosed.values(objectsIn(document))
  return document
}

/** The objects of whose values a document has examples. */
function objectsIn({ items, sent }: ReturnType<typeof attributesDocument>): number[] {
  const examples = items.flatMap((each) => [each.no_value, each.out_of_range, each.wrong_type])
  return [...examples, ...sent].flatMap((example) => example?.object ?? [])
}
